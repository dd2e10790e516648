"""The steps of the profile smallfiles/1, by the rules in the manual alone: what each does of files and bytes is printed as JSON.

small_files.py DIRECTORY FILES MIN_SIZE MAX_SIZE DIRS
"""

import json
import os
import random
import sys


def main():
    root = sys.argv[1]
    files, least, most, dirs = map(int, sys.argv[2:])
    # Chance deals the ranks of the sizes; the bytes of each step are the same however it does.
    ranks = list(range(files))
    random.shuffle(ranks)

    def size(rank):
        return least + (most - least) * rank // (files - 1)

    def path(number):
        return os.path.join(root, str(number % dirs), "%010x" % number)

    def write(number, count, flags):
        file = os.open(path(number), os.O_WRONLY | flags)
        if not flags:
            os.ftruncate(file, 0)
        written = os.write(file, os.urandom(count))
        os.close(file)
        return written

    def read(number):
        with open(path(number), "rb") as file:
            return len(file.read())

    def delete(number):
        os.unlink(path(number))
        return 0

    for directory in range(dirs):
        os.mkdir(os.path.join(root, str(directory)))
    tenth = sorted(rank for rank in range(files) if rank % 10 == 0)
    half = len(tenth) // 2
    later = dict(zip(tenth, tenth[half:] + tenth[:half]))
    of_tenth = [number for number in range(files) if ranks[number] in later]
    random.shuffle(of_tenth)
    in_order, at_random = (
        [number for number in range(files) if (ranks[number] + ranks[number] // 10) % 10 == rest] for rest in (1, 2)
    )
    random.shuffle(at_random)
    steps = [
        ("seq_create", range(files), lambda number: write(number, size(ranks[number]), os.O_CREAT | os.O_EXCL)),
        ("file_rewrite", of_tenth, lambda number: write(number, size(later[ranks[number]]), 0)),
        ("file_read", in_order, read),
        ("file_random_read", at_random, read),
        ("seq_delete", range(files), delete),
    ]
    figures = {}
    for name, numbers, step in steps:
        figures[name] = {"files": len(numbers), "bytes": sum(map(step, numbers))}
        os.sync()
    for directory in range(dirs):
        os.rmdir(os.path.join(root, str(directory)))
    print(json.dumps(figures))


main()
