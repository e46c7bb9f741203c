"""Use the machine: its files, processes, programs and network, with limits.

`transaction` changes folders completely or not at all, `names` has the hidden names beside them,
and `packing` compresses files and lists their checksums. `processes` starts processes that end with
the command, `programs` runs other versions of the program, and `downloads` fetches files of
strangers. Read `transaction.transaction` first.
"""
