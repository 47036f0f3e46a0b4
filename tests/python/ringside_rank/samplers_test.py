"""How samples are dealt out, by the sampler of a loader. No torch."""

import sys
import types
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "trainer" / "python")]

from ringside_rank import _data  # noqa: E402
from ringside_rank._passes import Pass  # noqa: E402


class SamplersTest(unittest.TestCase):
    """A loader whose sampler cannot be read: reported once, with the name of what distributes the samples."""

    @staticmethod
    def made(name, **attributes):
        return type(name, (), attributes)()

    def told(self, loader, world="2", rank=0, passes=2):
        distributed = types.SimpleNamespace(DistributedSampler=type("DistributedSampler", (), {}))
        names = ("torch", "torch.utils", "torch.utils.data", "torch.utils.data.distributed")
        speaker = types.SimpleNamespace(rank=rank, works=lambda source: True, failed=self.fail, said=[],
                                        notice=lambda severity, code, text: speaker.said.append((code, text)))
        session = types.SimpleNamespace(speaker=speaker, said_unseen=False)
        with mock.patch.dict(sys.modules, {name: distributed for name in names}), \
                mock.patch.dict("os.environ", {"WORLD_SIZE": world}):
            for _ in range(passes):
                _data.report_shard(session, types.SimpleNamespace(loader=loader, epoch=0))
        return speaker.said

    def test_a_batch_sampler_of_a_framework_is_named_once(self):
        batches = self.made("BatchSamplerShard", batch_sampler=self.made("BatchSampler", sampler=self.made("RandomSampler")))
        ((code, text),) = self.told(self.made("loader", batch_sampler=batches, sampler=None))
        self.assertEqual(code, "samples_unseen")
        self.assertTrue(text.startswith("samples are dealt out by BatchSamplerShard, and only those of a DistributedSampler"))

    def test_the_sampler_within_a_plain_batch_sampler_is_named(self):
        batches = self.made("BatchSampler", sampler=self.made("RandomSampler"))
        self.assertEqual(_data.dealer(self.made("loader", batch_sampler=batches, sampler=batches.sampler)), "RandomSampler")
        self.assertEqual(_data.dealer(self.made("loader", batch_sampler=None, sampler=self.made("Mine"))), "Mine")
        endless = self.made("BatchSampler", sampler=self.made("_InfiniteConstantSampler"))
        self.assertEqual(_data.dealer(self.made("loader", batch_sampler=endless)), "an iterable data set")

    def test_one_rank_alone_and_ranks_behind_the_first_say_nothing(self):
        loader = self.made("loader", batch_sampler=None, sampler=self.made("RandomSampler"))
        self.assertEqual(self.told(loader, world="1"), [])
        self.assertEqual(self.told(loader, rank=1), [])

    def test_repeated_samples_of_an_evaluation_do_not_count(self):
        inner = types.SimpleNamespace(sampler=range(13))
        kind = type("BatchSamplerShard", (), {})
        for rank, split, fetched, counted in ((0, False, 8, 8), (1, False, 8, 5), (0, True, 8, 8), (1, True, 8, 5)):
            with self.subTest(rank=rank, split=split):
                shard = kind()
                shard.__dict__.update(batch_sampler=inner, drop_last=False, batch_size=8 if split else 4, num_processes=2,
                                      process_index=rank, split_batches=split, sampler=None)
                passage = Pass(types.SimpleNamespace(batch_sampler=shard), 0)
                passage.fetched = fetched
                with mock.patch.object(_data, "sampler_of", lambda loader: None):
                    self.assertEqual(fetched - _data._repeats(passage), counted)


if __name__ == "__main__":
    unittest.main()
