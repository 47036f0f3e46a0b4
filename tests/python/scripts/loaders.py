"""Loaders of all kinds, each in a separate process. Prints `CASE name`, then `STEP epoch samples` for each step, with -1 if the
number of samples cannot be known, and `EVAL epoch samples`."""

import os
import sys

import torch
from torch.nn.functional import mse_loss
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def learn(x):
    optimizer.zero_grad()
    mse_loss(model(x), torch.zeros(len(x), 1)).backward()
    optimizer.step()


def rows(size):
    return TensorDataset(torch.randn(size, 4))


def told(epoch, samples):
    print("STEP", epoch, samples, flush=True)


def plainly(loader, sizes, epochs=2, rows_of=lambda batch: batch[0]):
    for epoch in range(epochs):
        for size, batch in zip(sizes, loader):
            learn(rows_of(batch))
            told(epoch, size)


class Again:
    """An endless batch sampler."""

    def __init__(self, batches):
        self.batches = batches

    def __len__(self):
        return len(self.batches)

    def __iter__(self):
        while True:
            yield from self.batches


class Endless(DataLoader):
    """One iterator for all epochs, as in timm."""

    made = "iter"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        object.__setattr__(self, "batch_sampler", Again(self.batch_sampler))
        self.iterator = super().__iter__() if self.made == "iter" else self._get_iterator()

    def __len__(self):
        return len(self.batch_sampler.batches)

    def __iter__(self):
        for _ in range(len(self)):
            yield next(self.iterator)


class Reset(Endless):
    """A loader as in Ultralytics."""

    made = "get"


def endless(kind=Endless, **options):
    train, test = kind(rows(30), batch_size=8, shuffle=True, **options), Endless(rows(10), batch_size=5)
    for epoch in range(3):
        for size, (x,) in zip((8, 8, 8, 6), train):
            learn(x)
            told(epoch, size)
        with torch.no_grad():
            print("EVAL", epoch, sum(len(x) for x, in test), flush=True)


def endless_workers():
    endless(num_workers=2)


def reset():
    endless(Reset)


def forever():
    """Counts steps, not epochs."""
    batches = iter(Endless(rows(24), batch_size=8).iterator)
    for step in range(8):
        learn(next(batches)[0])
        told(step // 3, 8)


def images():
    """Batches as tuples of images of several sizes, as in object detection."""
    data = [(torch.rand(3, 4 + place % 2, 4), place) for place in range(10)]
    plainly(DataLoader(data, batch_size=4, collate_fn=lambda parts: tuple(zip(*parts))), (4, 4, 2),
            rows_of=lambda batch: torch.cat([image.flatten()[:4][None] for image in batch[0]]))


def time_first():
    data = [torch.randn(3 + place % 2, 4) for place in range(20)]
    plainly(DataLoader(data, batch_size=8, num_workers=1, collate_fn=torch.nn.utils.rnn.pad_sequence), (8, 8, 4),
            rows_of=lambda batch: batch[0])


def whole():
    """Batches contain indices that the data set resolves."""
    class Slices(Dataset):
        def __len__(self):
            return 10

        def __getitem__(self, index):
            return torch.randn(len(index), 4)

    sampler = torch.utils.data.BatchSampler(torch.utils.data.SequentialSampler(range(10)), 4, False)
    plainly(DataLoader(Slices(), sampler=sampler, batch_size=None), (4, 4, 2), rows_of=lambda batch: batch)


def ready_made():
    plainly(DataLoader([torch.randn(5, 4) for _ in range(3)], batch_size=None), (-1,) * 3, rows_of=lambda batch: batch)


class Stream(IterableDataset):
    """An iterable data set whose length each worker takes as its own."""

    def __iter__(self):
        yield from torch.randn(11, 4)

    def __len__(self):
        return 11


def stream():
    plainly(DataLoader(Stream(), batch_size=8, num_workers=2), (8, 8, 3, 3), rows_of=lambda batch: batch)


def own_collate():
    plainly(DataLoader(Stream(), batch_size=4, collate_fn=torch.stack), (4, 4, -1), rows_of=lambda batch: batch)


def ahead():
    """Each batch is fetched before the previous one is trained on, and an epoch has only one batch."""
    train, test = DataLoader(rows(8), batch_size=8), DataLoader(rows(6), batch_size=3)
    for epoch in range(3):
        model.train()
        batches = iter(train)
        x, = next(batches)
        assert next(batches, None) is None
        learn(x)
        told(epoch, 8)
        model.eval()
        with torch.no_grad():
            print("EVAL", epoch, sum(len(x) for x, in test), flush=True)


def late():
    """The model is put into evaluation mode after the first batch, as in Ignite."""
    train, test = DataLoader(rows(8), batch_size=4), DataLoader(rows(6), batch_size=3)
    for epoch in range(2):
        for x, in train:
            model.train()
            learn(x)
            told(epoch, 4)
        for x, in test:
            model.eval()
            with torch.no_grad():
                model(x)
        print("EVAL", epoch, 6)


def glimpse():
    """An evaluation of two of four batches that fetches a third; in the second epoch it has three, so that the third is
    the last."""
    train = DataLoader(rows(8), batch_size=4)
    for epoch, test in enumerate((DataLoader(rows(12), batch_size=3), DataLoader(rows(8), batch_size=3))):
        for x, in train:
            learn(x)
            told(epoch, 4)
        model.eval()
        with torch.no_grad():
            for number, (x,) in enumerate(test):
                if number == 2:
                    break
                model(x)
        model.train()
        print("EVAL", epoch, -1)


def longer():
    """A batch sampler with a length that is too small."""
    class Short(list):
        def __len__(self):
            return 2

    loader = DataLoader(rows(6), batch_sampler=Short([[0, 1], [2, 3], [4, 5]]))
    for epoch in range(3):
        for number, (x,) in enumerate(loader):
            learn(x)
            told(1 if (epoch, number) == (0, 2) else epoch, 2)  # its end has not been reached yet


def broken():
    """A worker fails for one batch, and the loop continues."""
    class Bad(Dataset):
        def __len__(self):
            return 10

        def __getitem__(self, place):
            if place == 3:
                raise ValueError("as asked")
            return torch.randn(4)

    batches = iter(DataLoader(Bad(), batch_sampler=[[0, 1], [2, 3, 4], [5, 6, 7, 8], [9]], num_workers=1))
    for size in (2, 3, 4, 1):
        try:
            x = next(batches)
        except ValueError:
            continue
        learn(x)
        told(0, size)


def no_loader():
    for _ in range(3):
        learn(torch.randn(5, 4))
        told(-1, -1)


def pairs():
    for epoch in range(2):
        for (x,), (y,) in zip(DataLoader(rows(24), batch_size=8), DataLoader(rows(9), batch_size=3)):
            learn(torch.cat([x, y]))
            told(epoch, 3)


def words():
    data = [{"input_ids": torch.arange(6), "x": torch.randn(4)} for _ in range(6)]
    for batch in DataLoader(data, batch_size=4):
        learn(batch["x"])
        told(0, len(batch["x"]))


for name in sys.argv[1:]:
    print("CASE", name, flush=True)
    if os.fork() == 0:
        os.environ["RINGSIDE_RECORD"] = os.path.join(os.environ["RINGSIDE_RECORD"], name)
        os.mkdir(os.environ["RINGSIDE_RECORD"])
        globals()[name]()
        sys.exit()
    if os.wait()[1]:
        sys.exit(f"{name} failed")
