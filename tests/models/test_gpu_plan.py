"""Shares of a card, worked out by hand.

The cache of Llama 3 8B takes 2 * 32 * 8 * 128 * 2 = 131,072 bytes per token, that of Code Llama 13B 819,200. A server
has 2,147,483,648 bytes of overhead, and 1,073,741,824 stay free for it.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chattygen.errors import ServerError
from chattygen.models.gpu import GIB, Device
from chattygen.models.gpu_plan import LEAST, OVERHEAD, RESERVE, Demand, Share, cache_bytes, describe, make_plan

LLAMA = Demand("llama", 16_060_000_000, 131_072, 8192)
CODE = Demand("code", 26_030_000_000, 819_200, 8192)
AWQ = Demand("code-awq", 7_250_000_000, 819_200, 8192, quantisation="awq")
BOTH = [[LLAMA], [CODE, AWQ]]

MIB = 1024**2
A100_80 = 84_989_181_952  # 81,052 MiB: 81,920 less the 868 that the driver keeps
A100_40 = 42_289_070_080  # 40,330 MiB
CARD_24 = 25_375_539_200  # 24,200 MiB


def card(total: int, held: int = 0) -> Device:
    return Device(0, "a card", total, total - held)


def test_the_cache_of_a_token() -> None:
    assert cache_bytes(32, 8, 128) == 131_072
    assert cache_bytes(40, 40, 128) == 819_200


def test_an_a100_80_gb_holds_both_in_16_bit() -> None:
    plan = make_plan(card(A100_80), BOTH)
    # 16 requests of 2,048 tokens: 32,768 tokens, 4,294,967,296 and 26,843,545,600 bytes.
    # 22,502,450,944 and 55,021,029,248 bytes are needed, 0.26477 and 0.64739 of the card, rounded up.
    assert plan.shares == (
        Share("llama", "", 16_060_000_000, 4_294_967_296, 32_768, 8192, 16, 0.2648, 0),
        Share("code", "", 26_030_000_000, 26_843_545_600, 32_768, 8192, 16, 0.6474, 0),
    )
    assert [share.needed for share in plan.shares] == [22_502_450_944, 55_021_029_248]
    assert plan.left == 5_318_218_112  # 84,989,181,952 - 77,523,480,192 - 2 * 1,073,741,824


def test_an_a100_40_gb_holds_llama_in_16_bit_beside_a_quantised_code_llama() -> None:
    # 12,536,619,136 bytes are left for the caches, which take 950,272 a token: 12,288 tokens fit and 14,336 do not.
    plan = make_plan(card(A100_40), BOTH)
    assert plan.shares == (
        Share("llama", "", 16_060_000_000, 1_610_612_736, 12_288, 8192, 6, 0.4687, 0),
        Share("code-awq", "awq", 7_250_000_000, 10_066_329_600, 12_288, 8192, 6, 0.4603, 0),
    )


def test_a_24_gb_card_is_refused_with_the_numbers_and_what_would_fit() -> None:
    with pytest.raises(ServerError) as refused:
        make_plan(card(CARD_24), BOTH)
    assert refused.value.message == (
        "llama and code-awq do not fit on a card: even with a short context they need 31.3 GiB, "
        "and 23.6 GiB of its 23.6 GiB are free"
    )
    assert refused.value.hint == (
        "what fits: llama or code-awq for every role (--role ROLE=MODEL); all of them on a card with 31.3 GiB free"
    )
    assert refused.value.__notes__ == [
        "llama: weights 15.0 GiB + KV cache 0.5 GiB (4,096 tokens: 2 requests at once, context 4,096)"
        " + overhead 2.0 GiB = 17.5 GiB",
        "code-awq: weights 6.8 GiB (awq) + KV cache 3.1 GiB (4,096 tokens: 2 requests at once, context 4,096)"
        " + overhead 2.0 GiB = 11.9 GiB",
        "and 1.0 GiB for each server, which stays free",
    ]


@pytest.mark.parametrize(
    ("held", "models", "requests", "context"),
    [
        # 52,776,927,232 are free. 16 bit, 4,096 tokens: 18,744,354,560 + 31,532,926,848 + 2,147,483,648 just fit.
        (30 * GIB, ["llama", "code"], 2, 4096),
        # 47,408,218,112 are free: not in 16 bit. With AWQ 17,655,767,168 are left for the caches: 18,432 tokens.
        (35 * GIB, ["llama", "code-awq"], 9, 8192),
        # 69,956,796,416 are free. 16 bit: 21,424,345,472 are left for the caches: 22,545 tokens, so 22,528 of them.
        (14 * GIB, ["llama", "code"], 11, 8192),
        # 54,924,410,880 are free. 16 bit: 6,391,959,936 are left for the caches: 6,726 tokens, so 6,144 of them.
        (28 * GIB, ["llama", "code"], 3, 6144),
    ],
)
def test_what_other_programs_hold_counts_and_the_plan_gives_way_in_order(
    held: int, models: list[str], requests: int, context: int
) -> None:
    shares = make_plan(card(A100_80, held), BOTH).shares
    assert [share.model for share in shares] == models
    assert {(share.requests, share.context) for share in shares} == {(requests, context)}


def test_the_fraction_is_of_the_total_whatever_is_free() -> None:
    shares = make_plan(card(A100_80, 30 * GIB), BOTH).shares
    assert shares[0].fraction == 0.2206  # 18,744,354,560 of 84,989,181,952


def test_a_card_that_others_hold_is_refused_with_what_they_would_have_to_give_back() -> None:
    with pytest.raises(ServerError) as refused:
        make_plan(card(A100_80, 70 * GIB), BOTH)
    # 33,644,765,056 are needed and 9,827,254,272 free: 22.2 GiB more.
    assert refused.value.hint == "what fits: all of them, once other programs give back 22.2 GiB"


def test_one_model_gets_what_it_asks_for_and_leaves_the_rest() -> None:
    (share,) = make_plan(card(A100_80), [[Demand("small", 1_000_000_000, 1000, 2048, concurrency=4)]]).shares
    assert (share.requests, share.context, share.tokens, share.cache) == (4, 2048, 8192, 8_192_000)


def test_a_context_longer_than_all_requests_together_is_held_once() -> None:
    (share,) = make_plan(card(A100_80), [[Demand("long", 1_000_000_000, 1000, 32_768, concurrency=4)]]).shares
    assert (share.requests, share.context, share.tokens) == (4, 32_768, 32_768)


def test_the_model_with_the_largest_weights_makes_way_first() -> None:
    small = Demand("llama-small", 6_000_000_000, 131_072, 8192)
    plan = make_plan(card(A100_40), [[LLAMA, small], [CODE, AWQ]])
    assert [share.model for share in plan.shares] == ["llama", "code-awq"]
    tight = make_plan(card(CARD_24), [[LLAMA, small], [CODE, AWQ]])
    assert [share.model for share in tight.shares] == ["llama-small", "code-awq"]


def test_a_share_in_one_line() -> None:
    assert describe(make_plan(card(A100_40), BOTH).shares[1]) == (
        "code-awq: weights 6.8 GiB (awq) + KV cache 9.4 GiB (12,288 tokens: 6 requests at once, context 8,192)"
        " + overhead 2.0 GiB = 18.1 GiB"
    )


demands = st.builds(
    Demand,
    st.just("m"),
    st.integers(10**8, 10**11),
    st.integers(1_000, 2_000_000),
    st.integers(128, 131_072),
    st.integers(1, 256),
)


@given(
    st.integers(8 * GIB, 200 * GIB),
    st.floats(0, 1),
    st.lists(st.lists(demands, min_size=1, max_size=3), min_size=1, max_size=3),
)
def test_a_plan_never_takes_more_than_is_free_and_every_cache_holds_a_context(
    total: int, held: float, wanted: list[list[Demand]]
) -> None:
    device = card(total, int(total * held))
    least = sum(chain[-1].weights + chain[-1].per_token * LEAST + OVERHEAD + RESERVE for chain in wanted)
    try:
        plan = make_plan(device, wanted)
    except ServerError:
        assert least > device.free
        return
    assert sum(share.needed + RESERVE for share in plan.shares) <= device.free
    for share, chain in zip(plan.shares, wanted, strict=True):
        asked = [model.context for model in chain]
        assert share.tokens >= share.context >= min(LEAST, *asked)
        assert share.needed <= share.fraction * total < share.needed + total / 5_000
        assert share.requests >= 1
