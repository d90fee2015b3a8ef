"""What a machine, or a container on it, has: read from files as the kernel writes them."""

from __future__ import annotations

from pathlib import Path

import psutil

from chattygen.models.cpu import machine

MIB = 1024**2


def container(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text + "\n")
    return folder


def test_outside_a_container_all_is_there(tmp_path: Path) -> None:
    found = machine(tmp_path)
    assert found.total == psutil.virtual_memory().total
    assert 0 < found.free <= found.total
    assert 1 <= found.cores <= (psutil.cpu_count(logical=False) or 1)


def test_a_container_has_what_its_limits_leave(tmp_path: Path) -> None:
    stat = f"anon {30 * MIB}\ninactive_file {15 * MIB}\nactive_file {5 * MIB}\nslab 4096"
    limits = container(tmp_path, memory_max=str(100 * MIB), memory_current=str(50 * MIB), memory_stat=stat)
    found = machine(limits)
    assert found.total == 100 * MIB
    assert found.free == 70 * MIB  # 20 of the 50 MiB in use are files that make way


def test_a_container_that_is_full_has_nothing_free(tmp_path: Path) -> None:
    assert machine(container(tmp_path, memory_max="1000", memory_current="4000")).free == 0


def test_no_limit_is_no_limit(tmp_path: Path) -> None:
    found = machine(container(tmp_path, memory_max="max", memory_current="4000", cpu_max="max 100000"))
    assert found.total == psutil.virtual_memory().total
    assert found.cores == machine(tmp_path / "nowhere").cores


def test_a_part_of_a_core_is_one_thread(tmp_path: Path) -> None:
    assert machine(container(tmp_path, cpu_max="150000 100000")).cores == 1
    assert machine(container(tmp_path, cpu_max="50000 100000")).cores == 1
