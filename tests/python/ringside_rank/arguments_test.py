"""Arguments that are tried in a script's own calls, and what stays as the script says. Exit code 77: this Python has no torch."""

import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "trainer" / "python")]

try:
    import torch
except ImportError as error:
    print(f"SKIPPED: this Python cannot import torch ({error})")
    sys.exit(77)

from ringside_rank import _arguments  # noqa: E402
from torch.nn.parallel import DistributedDataParallel  # noqa: E402
from torch.utils.data import DataLoader  # noqa: E402


class Endless(torch.utils.data.IterableDataset):
    def __iter__(self):
        return iter(())


class Arguments(unittest.TestCase):
    def tried(self, text):
        """Within the test alone."""
        for owner in (DataLoader, DistributedDataParallel):
            kept = mock.patch.object(owner, "__init__", owner.__init__)
            kept.start()
            self.addCleanup(kept.stop)
        with mock.patch.dict(os.environ, RINGSIDE_ARGUMENTS=text):
            _arguments.install(torch)

    def test_without_the_variable_nothing_is_put_into_torch(self):
        before = DataLoader.__init__
        with mock.patch.dict(os.environ):
            os.environ.pop("RINGSIDE_ARGUMENTS", None)
            _arguments.install(torch)
        self.assertIs(DataLoader.__init__, before)

    def test_a_loader_gets_workers_whatever_was_said_and_keeps_the_rest(self):
        self.tried("DataLoader.num_workers=2,DataLoader.pin_memory=0")
        data = torch.utils.data.TensorDataset(torch.arange(8))
        for loader in (DataLoader(data, 4), DataLoader(data, batch_size=4, num_workers=0),
                       DataLoader(data, 4, False, None, None, 1)):
            self.assertEqual((loader.num_workers, loader.batch_size, loader.pin_memory), (2, 4, False))
        self.assertEqual([batch[0].tolist() for batch in DataLoader(data, 4)], [[0, 1, 2, 3], [4, 5, 6, 7]])

    def test_an_iterable_data_set_keeps_its_own_and_mistakes_are_those_of_the_script(self):
        self.tried("DataLoader.num_workers=2")
        self.assertEqual(DataLoader(Endless()).num_workers, 0)
        with self.assertRaisesRegex(TypeError, "no_such"):
            DataLoader(Endless(), no_such=1)

    def test_buckets_of_a_model(self):
        self.tried("DistributedDataParallel.gradient_as_bucket_view=1,DistributedDataParallel.bucket_cap_mb=25,nonsense,A.b=c")
        with tempfile.TemporaryDirectory() as folder:
            torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=0, world_size=1)
            self.addCleanup(torch.distributed.destroy_process_group)
            model = DistributedDataParallel(torch.nn.Linear(2, 2), bucket_cap_mb=1)
        self.assertTrue(model.gradient_as_bucket_view)
        self.assertEqual(model.bucket_bytes_cap, 25 * 2**20)


if __name__ == "__main__":
    unittest.main()
