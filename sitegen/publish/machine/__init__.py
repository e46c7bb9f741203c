"""Use the machine: its files, processes, programs and network, with limits.

`transaction` changes folders completely or not at all. `locks` keeps two commands from changing a
folder at once, and `hidden_names` defines the names of hidden files and folders. `packing`
compresses files and lists their checksums. `processes` starts processes that end with the command,
`programs` runs other versions of the program, and `downloads` fetches files from untrusted servers.
Read `transaction.transaction` first.
"""
