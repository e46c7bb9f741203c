"""Jobs that processes share: each goes to one of them, and nothing of it stays once it is done."""

import weakref
from collections import deque

from sitegen.publish.machine.processes import take_jobs


class Job:
    """Something that holds what it has computed."""


def test_a_process_takes_the_jobs_of_its_numbers_and_says_which_comes_next() -> None:
    taken_jobs = take_jobs(deque("abcdef"), iter([0, 3, 4, 7]))
    assert list(taken_jobs) == [(3, "a"), (4, "d"), (7, "e")]


def test_a_job_is_freed_once_the_next_one_is_taken() -> None:
    jobs = deque([Job(), Job(), Job()])
    references = [weakref.ref(job) for job in jobs]
    taken_jobs = take_jobs(jobs, iter(range(4)))
    for number in range(3):
        _, current = next(taken_jobs)
        assert references[number]() is current
        assert [reference() for reference in references[:number]] == [None] * number
