"""Reads the output of `go test -json`: prints a line per package, what failed tests said, why tests were skipped, and the totals."""

import collections
import json
import sys


def main():
    said = collections.defaultdict(list)
    count = collections.Counter()
    skipped = []
    for line in sys.stdin:
        try:
            event = json.loads(line)
        except ValueError:
            print(line, end="")  # a message of the go command itself
            continue
        action = event["Action"]
        package, test = event.get("Package", event.get("ImportPath", "")), event.get("Test", "")
        key = (package, test)
        if action in ("output", "build-output"):
            said[key].append(event["Output"])
            if action == "build-output":
                print(event["Output"], end="")
            continue
        if action not in ("pass", "fail", "skip"):
            continue
        if test:
            count[action] += 1
            if action == "fail":
                print("".join(said[key]), end="")
            if action == "skip":
                reason = " ".join("".join(s for s in said[key] if not s.lstrip().startswith(("===", "---"))).split())
                skipped.append(f"skipped {package}.{test}: {reason}")
        else:
            print("".join(s for s in said[key] if s.startswith(("ok ", "FAIL", "?"))) if action != "fail" else "".join(said[key]), end="", flush=True)
            if action == "fail":
                count["package"] += 1
        said.pop(key, None)
    for line in skipped:
        print(line)
    failed = count["fail"] or count["package"]
    print(f"go tests: {count['pass']} passed, {failed} failed, {count['skip']} skipped")
    sys.exit(1 if failed else 0)


main()
