"""A Kafka broker of one node on a port of this machine, and a client that writes to its topics and reads them."""

from __future__ import annotations

import socket
import subprocess
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.pipeline.artifacts import fetch

BROKER = "org.apache.kafka:kafka_2.13:4.1.0"
SETTINGS = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
log.dirs={folder}/log
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.replication.factor=1
"""


class Record(NamedTuple):
    """What a topic has of a record, but its place."""

    key: bytes | None
    value: bytes


@contextmanager
def broker(folder: Path) -> Iterator[str]:
    """A broker with its jars and its data in the folder; its address."""
    jars = fetch(folder / "jars", [BROKER])
    ports = {"port": _free_port(), "controller": _free_port()}
    settings = folder / "server.properties"
    settings.write_text(SETTINGS.format(folder=folder, **ports))
    java = ["java", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp", ":".join(map(str, jars))]
    cluster = ["format", "-t", "AAAAAAAAAAAAAAAAAAAAAA", "-c", str(settings)]
    subprocess.run([*java, "kafka.tools.StorageTool", *cluster], check=True, capture_output=True)
    with (folder / "broker.log").open("w") as log:
        running = subprocess.Popen([*java, "kafka.Kafka", str(settings)], stdout=log, stderr=log)
    try:
        _wait_for(ports["port"], running)
        yield f"127.0.0.1:{ports['port']}"
    finally:
        running.kill()
        running.wait()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _wait_for(port: int, running: subprocess.Popen[bytes], seconds: float = 120) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and running.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    pytest.fail(f"the broker does not listen on port {port}")


def make_topics(server: str, names: Sequence[str], partitions: int = 2) -> None:
    """Topics that are empty."""
    from confluent_kafka.admin import AdminClient, NewTopic

    admin = AdminClient({"bootstrap.servers": server})
    for waiting in admin.create_topics([NewTopic(name, partitions, 1) for name in names]).values():
        waiting.result(60)


def produce(server: str, topic: str, values: Sequence[bytes]) -> None:
    """Put records into a topic, to its partitions in turn."""
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": server})
    for place, value in enumerate(values):
        producer.produce(topic, value, partition=place % 2)
    assert producer.flush(60) == 0


def consume(server: str, topic: str) -> list[Record]:
    """All records of a topic, those of a partition in their order."""
    from confluent_kafka import Consumer, TopicPartition

    consumer: Any = Consumer({"bootstrap.servers": server, "group.id": uuid.uuid4().hex})
    parts = consumer.list_topics(topic, timeout=60).topics[topic].partitions
    ends = {part: consumer.get_watermark_offsets(TopicPartition(topic, part), timeout=60)[1] for part in parts}
    consumer.assign([TopicPartition(topic, part, 0) for part in parts])
    records: list[Record] = []
    while len(records) < sum(ends.values()):
        for record in consumer.consume(1_000, timeout=10):
            assert record.error() is None, record.error()
            records.append(Record(record.key(), record.value()))
    consumer.close()
    return records
