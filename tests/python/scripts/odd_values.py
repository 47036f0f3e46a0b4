"""Passes values that are not numbers to every call of ringside_rank. No torch."""

import ringside_rank as rs


class Odd:
    def __float__(self):
        raise RuntimeError("odd")

    __int__ = __mul__ = __rmul__ = __eq__ = __bool__ = __str__ = __repr__ = __float__
    __hash__ = object.__hash__


NONE = [Odd(), float("nan"), float("inf"), 10**400, -(10**400), "one", b"x", None, [], {}, (1, 2), object(), 1j, Odd, "\ud800"]

for odd in NONE:
    rs.resumed(odd)
rs.resumed(5)
for odd in NONE:
    rs.step(loss=0.5, samples=odd)
    rs.step(loss=odd, samples=4, epoch=odd)
    rs.step(lr=odd, grad_norm=odd, correct=odd, accuracy=odd)
    rs.log(step=odd, step_of_this_is_odd=1.0, curve=odd)
    with rs.evaluating(odd, phase=odd) as result:
        result.add(odd, odd, odd)
        result.add(0.5, 3, 4)
    with rs.evaluating(3) as result:
        result.set(loss=odd, accuracy=odd, count=4)
rs.step(loss=1e300)
with rs.evaluating(3) as result:
    result.set(loss=0.5, accuracy=0.75, count=4)
rs.step(loss=0.5, samples=4, epoch=3)
rs.log(weight=0.25)
print("END")
