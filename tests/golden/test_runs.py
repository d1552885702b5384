"""Exact actions: the fingerprint of one short run of each policy on each kind of action set.

A change here changes the decisions of published runs: it needs a *Stream changes* entry.
"""

import pytest

from replibandit.catalog import POLICIES
from tests.programs.policies import Case, cases

RUNS = {
    "RepUCB-arms": "c6ac944427f3af9e657b5132a1327802",
    "RepLinUCB-continuous": "9d30b3dc41428bce88f7038d1975e155",
    "RepLinUCB-binary": "8a7dbef4d60f5b0afb5f425316e7bcd8",
    "RepLinUCB-one-hot": "72b4b80f89f2dae0673775a053304548",
    "RepLinUCB-tied": "e9c18e24986ddb45ede802cb66874f46",
    "RepLinUCB-contexts": "43521f7c9ce37642f3d2cc7e4b872185",
    "RepLinUCB-ball": "31a0f26db208cb55f4c14d8b6f7ab151",
    "RepGLMUCB-continuous": "421e908af664a852e30da7cc002ea336",
    "RepGLMUCB-binary": "430505b829eafdcda51ccb3ec7ca3d78",
    "RepGLMUCB-one-hot": "24dbcb3f9677b7e543d568dea200d827",
    "RepGLMUCB-tied": "7ee5a2704905566a3dba916aceccf2d5",
    "RepGLMUCB-contexts": "7c6324eb60ae3e3cd0b5f8f2e1085892",
    "RepCommit-arms-sharp": "6eea54e1cd0d7d27fa08c4bd71860609",
    "RepCommit-continuous-sharp": "23f305e3fd65a00d4e9016db3bc14aeb",
    "RepCommit-binary-sharp": "2dbd1741a7c576789967b5cc0c479e96",
    "RepCommit-one-hot-sharp": "803b323a546c973d5ac810a981460973",
    "RepCommit-tied-sharp": "5783af747f0a82b1cc6ff77a7ca55a9c",
    "RepEliminate-arms-sharp": "a7831301710cf86a660c005358877afc",
    "RepEliminate-continuous-sharp": "fa61d4d1fb57c6a35118fbc55b8ffbf0",
    "RepEliminate-binary-sharp": "18a259d421ec37dde47a67ea59e9da25",
    "RepEliminate-one-hot-sharp": "3a64824516aa4835eb7ae207ab279cbf",
    "RepEliminate-tied-sharp": "eb5540c2b52882cbeef73d9532ec07a2",
    "UCB1-arms": "309b0ad0cb56a026751c692b2493d365",
    "LinUCB-continuous": "9c107af509256ec5e1d15f7ccfb53d9e",
    "LinUCB-binary": "ac52ec9132da7ca215988e6b0426ea09",
    "LinUCB-one-hot": "0e2964c8bfbb9eb60cbc8083f3446b79",
    "LinUCB-tied": "1fedd591798ddac83b276b6250ea7611",
    "LinUCB-contexts": "cdaec754df979ed6eb623b4a6cdcd188",
    "GLMUCB-continuous": "18730871d7902a19e3d9219d9d885fa3",
    "GLMUCB-binary": "8fe9c3f79458306124df96262acf85cf",
    "GLMUCB-one-hot": "e390331d59c22d39a5d83a47b40306aa",
    "GLMUCB-tied": "b2ae2b4dfa9a43f018214ff17a0b989d",
    "GLMUCB-contexts": "dbeeb606d16cb34b0b3d740f3d1770fe",
    "Thompson-arms": "00acb0c292d23b2645a2a9277f33e8df",
    "RepUCB-arms-sharp": "39e6ab3da137ac73481daa3804bf0213",
    "RepLinUCB-continuous-sharp": "eeaab6c73614261b01529725c3896a0e",
    "RepLinUCB-binary-sharp": "c14f131f9c3dc52555a85796771340ba",
    "RepLinUCB-one-hot-sharp": "5db937490841c2194b33972f9ffe3d8c",
    "RepLinUCB-tied-sharp": "620f26de40e7962afd2fb76fc43ac3f7",
    "RepLinUCB-contexts-sharp": "0a6e532e1a8840f7dcc7ce0656750425",
    "RepLinUCB-ball-sharp": "f02283e4954e8c1d0525c08681057784",
    "RepGLMUCB-continuous-sharp": "712794959a63d275db6b9d28d363da66",
    "RepGLMUCB-binary-sharp": "c6e6bff696a193599a1a6b3071f5255c",
    "RepGLMUCB-one-hot-sharp": "5cbc1587a7fff0d7260dcd699eb9edd9",
    "RepGLMUCB-tied-sharp": "b99b009445d30468bdf170e1b0b7c1d1",
    "RepGLMUCB-contexts-sharp": "02eb8d54105313707ecf333c945613cf",
}


@pytest.mark.parametrize("case", cases(), ids=str)
def test_run(case: Case) -> None:
    assert case.session()[0].fingerprint == RUNS[str(case)]


def test_every_policy_has_a_run() -> None:
    assert {type(case.spec).__name__ for case in cases()} == set(POLICIES)
    assert [str(case) for case in cases()] == list(RUNS)
