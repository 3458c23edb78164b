"""A lazy, sequential build over the keys of the cache, to replay BuildKit's cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pipegen.run.local.cache.index import Index
from pipegen.run.local.cache.keys import Keys
from pipegen.run.local.cache.lookup import CacheInput, Lookup


class BuildError(Exception):
    """A build that fails as its case requires."""


@dataclass
class Store:
    """Keys and their results, which later builds find."""

    keys: Keys
    index: Index
    records: dict[int, list[Any]] = field(default_factory=dict)
    do_loads_fail: bool = False
    loads: int = 0

    @classmethod
    def of(cls, index: Index) -> Store:
        """Return an empty store in *index*."""
        return cls(Keys(index), index)

    def count(self) -> int:
        """Return the number of keys and contents."""
        keys = self.index.rows("SELECT count(DISTINCT target) FROM link")
        contents = self.index.rows("SELECT count(DISTINCT selector) FROM link WHERE source = 0 AND selector != ''")
        return int(keys[0][0]) + int(contents[0][0])


@dataclass
class _Edge:
    """One output of a vertex in one build."""

    lookup: Lookup
    more_digests: list[str]
    tried_digests: list[str] = field(default_factory=list)
    keys: frozenset[int] = frozenset()
    is_done: bool = False
    result: Any = None


class Build:
    """One build of a graph."""

    def __init__(self, graph: Mapping[str, Any], graphs: Mapping[str, Any], store: Store) -> None:
        self.key_calls = 0
        self.exec_calls = 0
        self._graph = graph
        self._graphs = graphs
        self._store = store
        self._vertices = {vertex["name"]: vertex for vertex in graph["vertices"]}
        self._edges: dict[tuple[str, int], _Edge] = {}
        self._digests: set[str] = set()
        # The results that this build has computed or loaded, by their keys: each key is executed once.
        self._live: dict[int, Any] = {}

    def run(self) -> Any:
        """Return the result of the graph's target."""
        return self._complete((self._graph["target"], 0))

    def _edge(self, edge_id: tuple[str, int]) -> _Edge:
        if edge_id in self._edges:
            return self._edges[edge_id]
        name, output = edge_id
        vertex = self._vertices[name]
        if name not in self._digests:
            self._digests.add(name)
            self.key_calls += 1
            self._check("key", vertex)
        selectors = vertex.get("selectors", {})
        inputs = [
            CacheInput(self._known(pair), selectors.get(str(number), ""))
            for number, pair in enumerate(self._inputs(name))
        ]
        digests = [f"{digest} {output}" for digest in (vertex["key"], *vertex.get("more_keys", ()))]
        edge = _Edge(Lookup(self._store.keys, digests[0], inputs), digests[1:])
        self._edges[edge_id] = edge
        if not vertex.get("ignore_cache"):
            edge.keys = edge.lookup.matching_keys()
        return edge

    def _inputs(self, name: str) -> list[tuple[str, int]]:
        inputs = self._vertices[name].get("inputs", ())
        return [(input_, 0) if isinstance(input_, str) else (input_[0], input_[1]) for input_ in inputs]

    def _known(self, edge_id: tuple[str, int]) -> frozenset[int]:
        """Return the keys of an input that follow from its definition alone."""
        return self._edge(edge_id).keys

    def _slower(self, edge_id: tuple[str, int]) -> frozenset[int]:
        """Return an input's keys after reading the content of its own inputs, but without building it."""
        edge = self._edge(edge_id)
        uses_cache = not self._vertices[edge_id[0]].get("ignore_cache")
        while uses_cache and not edge.keys and (self._learn(edge_id, edge) or self._ask_next_digest(edge)):
            edge.keys = edge.lookup.matching_keys()
        return edge.keys

    def _ask_next_digest(self, edge: _Edge) -> bool:
        """Go on to the next digest of the vertex; return whether there is one."""
        if not edge.more_digests:
            return False
        edge.tried_digests.append(edge.lookup.digest)
        edge.lookup.digest = edge.more_digests.pop(0)
        return True

    def _learn(self, edge_id: tuple[str, int], edge: _Edge) -> bool:
        """Learn more keys of the inputs; return whether there were any to learn."""
        for number in edge.lookup.unmatched():
            cache_input, source = edge.lookup.inputs[number], self._inputs(edge_id[0])[number]
            before, cache_input.keys = cache_input.keys, self._slower(source)
            if cache_input.keys != before:
                return True
        # Only slow inputs have contents.
        slow = self._vertices[edge_id[0]].get("slow", ())
        learn = [number for number in edge.lookup.wanted() if number in slow]
        for number in learn:
            cache_input, source = edge.lookup.inputs[number], self._inputs(edge_id[0])[number]
            self._check_content(edge_id[0], source)
            cache_input.content = f"{self._complete(source)}"
            cache_input.keys = self._edge(source).keys
        return bool(learn)

    def _check_content(self, name: str, source: tuple[str, int]) -> None:
        failure = self._vertices[name].get("fail")
        if failure is not None and failure["at"] == "slow":
            self._complete(source)
            raise BuildError(failure["error"])

    def _complete(self, edge_id: tuple[str, int]) -> Any:
        edge = self._edge(edge_id)
        if not edge.is_done:
            edge.result = self._result(edge_id, edge)
            edge.is_done = True
        return edge.result

    def _result(self, edge_id: tuple[str, int], edge: _Edge) -> Any:
        uses_cache = not self._vertices[edge_id[0]].get("ignore_cache")
        while uses_cache:
            edge.keys = edge.lookup.matching_keys()
            for key in sorted(edge.keys):
                if key in self._live:
                    return self._live[key]
                if key in self._store.records and (loaded := self._load(key)) is not None:
                    return loaded
            if not self._learn(edge_id, edge) and not self._ask_next_digest(edge):
                break
        return self._execute(edge_id, edge)

    def _load(self, key: int) -> Any:
        self._store.loads += 1
        if self._store.do_loads_fail:
            del self._store.records[key]
            return None
        self._live[key] = self._store.records[key][-1]
        return self._live[key]

    def _execute(self, edge_id: tuple[str, int], edge: _Edge) -> Any:
        name, output = edge_id
        values = [self._complete(source) for source in self._inputs(name)]
        # Inputs may have been computed since, and may have the key of another result by now.
        for cache_input, source in zip(edge.lookup.inputs, self._inputs(name), strict=True):
            cache_input.keys = self._edge(source).keys
        uses_cache = not self._vertices[name].get("ignore_cache")
        edge.keys = edge.lookup.matching_keys() if uses_cache else frozenset()
        for key in sorted(edge.keys):
            if key in self._live:
                return self._live[key]
        self.exec_calls += 1
        self._check("exec", self._vertices[name])
        result = self._operate(self._vertices[name]["op"], output, values)
        saved = {edge.lookup.save()}
        for digest in edge.tried_digests:
            edge.lookup.digest = digest
            saved.add(edge.lookup.save())
        for key in saved:
            self._store.records.setdefault(key, []).append(result)
        if uses_cache:
            edge.keys = frozenset(saved)
            self._live.update(dict.fromkeys(saved, result))
        return result

    def _check(self, part: str, vertex: Mapping[str, Any]) -> None:
        """Fail if *part* of *vertex* fails or is cancelled."""
        if vertex.get("cancel_at") == part:
            raise BuildError("cancelled")
        failure = vertex.get("fail")
        if failure is not None and failure["at"] == part:
            raise BuildError(failure["error"])

    def _operate(self, operation: Mapping[str, Any], output: int, values: list[Any]) -> Any:
        match operation["kind"]:
            case "value":
                return operation["value"]
            case "const":
                return operation["n"]
            case "sum":
                return operation["n"] + sum(values)
            case "add":
                return values[output] + operation["n"]
            case "subbuild":
                return Build(self._graphs[operation["graph"]], self._graphs, self._store).run()
        raise AssertionError(operation)
