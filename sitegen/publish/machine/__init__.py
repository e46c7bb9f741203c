"""Use the machine: its files, processes, programs and network, with limits.

`transaction` changes folders completely or not at all. `locks` keeps two commands from doing so at
once, and `hidden_names` has the hidden names beside the folders. `packing` compresses files and
lists their checksums. `processes` starts processes that end with the command, `programs` runs other
versions of the program, and `downloads` fetches files of strangers. Read `transaction.transaction`
first.
"""
