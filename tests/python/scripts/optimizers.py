"""Programs without an optimizer, with several, or with several backward calls in a step: each prints what it did, as
`STEP number loss`."""

import copy
import sys
from itertools import islice

import torch
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, TensorDataset

CASE = sys.argv[1]
torch.manual_seed(0)
data = TensorDataset(torch.randn(40, 4), torch.randint(0, 2, (40,)))
net = torch.nn.Linear(4, 2)
place = 0


def batches(size=8):
    return DataLoader(data, batch_size=size)


def tell(*losses):
    global place
    print("STEP", place, *losses)
    place += 1


def train(optimizer, epochs=1):
    for _ in range(epochs):
        for x, y in batches():
            loss = cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            tell(loss.item())


def one_after_the_other():
    keep = []
    for rate in (0.1, 0.01):
        keep.append(torch.optim.SGD(net.parameters(), lr=rate))
        train(keep[-1], 2)


def folds():
    global net
    for _ in range(3):
        net = torch.nn.Linear(4, 2)
        train(torch.optim.SGD(net.parameters(), lr=0.1))
        net.eval()
        for x, y in batches(20):  # each batch is fetched while gradients still exist
            with torch.no_grad():
                cross_entropy(net(x), y)


def warm_up():
    before = copy.deepcopy(net.state_dict())
    dry = torch.optim.SGD(net.parameters(), lr=9.0)
    net(torch.randn(8, 4)).sum().backward()
    dry.step()
    dry.zero_grad()
    net.load_state_dict(before)
    train(torch.optim.SGD(net.parameters(), lr=0.1))


def undivided():
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1 / 4)
    losses = []
    for x, y in batches(2):
        loss = cross_entropy(net(x), y)
        loss.backward()
        losses.append(loss.item())
        if len(losses) == 4:
            optimizer.step()
            optimizer.zero_grad()
            tell(sum(losses) / 4)
            losses = []


def sharpness():
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in batches():
        loss = cross_entropy(net(x), y)
        loss.backward()
        with torch.no_grad():
            moves = [0.05 * one.grad for one in net.parameters()]
            for one, move in zip(net.parameters(), moves):
                one.add_(move)
        optimizer.zero_grad()
        cross_entropy(net(x), y).backward()
        with torch.no_grad():
            for one, move in zip(net.parameters(), moves):
                one.sub_(move)
        optimizer.step()
        optimizer.zero_grad()
        tell(loss.item())


def two_networks():
    rate = 0.01
    kept = locals()
    global judge, maker
    judge, maker = torch.nn.Linear(4, 1), torch.nn.Linear(2, 4)
    judges, makers = (torch.optim.Adam(one.parameters(), lr=rate) for one in (judge, maker))
    for x, _ in batches():
        judge.zero_grad()
        made = maker(torch.randn(8, 2))
        real, false = -judge(x).mean(), judge(made.detach()).mean()
        real.backward()
        false.backward()
        judges.step()
        maker.zero_grad()
        fooled = -judge(made).mean()
        fooled.backward()
        makers.step()
        tell(real.item() + false.item(), fooled.item())
    assert kept == {"rate": rate}, f"somebody changed what locals() gave: {list(kept)}"


def delayed():
    """No loader; the actor is updated with every second step of the critic."""
    class Critic(torch.nn.Linear):
        pass

    class Actor(torch.nn.Linear):
        pass

    critic, actor = Critic(4, 1), Actor(4, 4)
    critics, actors = (torch.optim.Adam(one.parameters(), lr=0.01) for one in (critic, actor))
    for step in range(8):
        x = torch.randn(8, 4)
        critics.zero_grad()
        loss = critic(x).square().mean()
        loss.backward()
        critics.step()
        if step % 2:
            actors.zero_grad()
            (-critic(actor(x)).mean()).backward()
            actors.step()
        tell(loss.item())


def two_rates():
    both = [torch.optim.SGD([net.weight], lr=0.02), torch.optim.AdamW([net.bias], lr=0.3)]
    for x, y in batches():
        loss = cross_entropy(net(x), y)
        loss.backward()
        for one in both:
            one.step()
        for one in both:
            one.zero_grad()
        tell(loss.item())


def by_hand():
    epochs = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    for x, y in (batch for _ in range(epochs) for batch in islice(batches(4), 10)):  # no loader is asked for more batches than it has
        if sys.argv[2] == "none":
            net.zero_grad()
        loss = cross_entropy(net(x), y)
        loss.backward()
        with torch.no_grad():
            for one in net.parameters():
                one -= 0.1 * one.grad
                if sys.argv[2] == "zero":
                    one.grad.zero_()
        tell(loss.item())


globals()[CASE]()
