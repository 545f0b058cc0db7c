"""The MPIJob of a page of the docs against its schemas: the operator's fields by ours of v2beta1, pods by Kubernetes' own.

usage: check_manifest.py PAGE SCHEMA
"""

import json
import re
import sys

import jsonschema
import kubernetes_validate
import yaml

PODS = "1.31"


def manifests(page: str) -> list[dict]:
    with open(page, encoding="utf-8") as text:
        blocks = re.findall(r"^```yaml\n(.*?)^```", text.read(), re.MULTILINE | re.DOTALL)
    return [job for block in blocks for job in yaml.safe_load_all(block) if job["kind"] == "MPIJob"]


def check(job: dict, schema: dict) -> None:
    jsonschema.validate(job, schema)
    for role, replicas in job["spec"]["mpiReplicaSpecs"].items():
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": role.lower()}, **replicas["template"]}
        kubernetes_validate.validate(pod, PODS, strict=True)


def refuses(job: dict, schema: dict) -> bool:
    try:
        check(job, schema)
    except (jsonschema.ValidationError, kubernetes_validate.ValidationError):
        return True
    return False


def spoiled(job: dict):
    """The same with one mistake at a time: a check that finds none of them checks nothing."""
    for spoil in (
        lambda job: job["spec"].update(slotsPerWorkers=4),
        lambda job: job["spec"].update(slotsPerWorker="4"),
        lambda job: job["spec"]["mpiReplicaSpecs"].pop("Launcher"),
        lambda job: job["spec"]["mpiReplicaSpecs"]["Worker"].update(restartPolicy="Sometimes"),
        lambda job: job["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"].update(container=[]),
        lambda job: job["spec"]["mpiReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0].update(command="sshd"),
    ):
        copy = json.loads(json.dumps(job))
        spoil(copy)
        yield copy


def main() -> None:
    page, schema = sys.argv[1:]
    with open(schema, encoding="utf-8") as text:
        schema = json.load(text)
    jobs = manifests(page)
    if not jobs:
        sys.exit(f"{page} shows no MPIJob")
    for job in jobs:
        check(job, schema)
        if not all(refuses(other, schema) for other in spoiled(job)):
            sys.exit("a spoiled manifest was not refused")
    print(f"{page}: {len(jobs)} MPIJob as the schemas of v2beta1 and of Kubernetes {PODS} have it")


main()
