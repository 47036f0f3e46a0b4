"""The networks that the trainer has, in Python: as torchvision, PyTorch's tutorials and the published ConvNet write them.

torchvision itself is compared with these where it is installed; nothing here needs it.
"""

import torch.nn.functional as F
from torch import nn

from reference import BasicBlock, ConvNet

STEMS = {"imagenet": (7, 2), "cifar": (3, 1), "cifar_stride2": (3, 2)}


class LeNet(nn.Module):
    def __init__(self, classes, shape):
        super().__init__()
        channels, height, width = shape
        self.conv1 = nn.Conv2d(channels, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * (((height - 4) // 2 - 4) // 2) * (((width - 4) // 2 - 4) // 2), 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x.flatten(1))))))


class Bottleneck(nn.Module):
    def __init__(self, inside, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inside, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, 4 * width, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(4 * width)
        self.downsample = None

    def forward(self, x):
        kept = x if self.downsample is None else self.downsample(x)
        x = F.relu(self.bn1(self.conv1(x)), inplace=True)
        x = F.relu(self.bn2(self.conv2(x)), inplace=True)
        return F.relu(self.bn3(self.conv3(x)) + kept, inplace=True)


class ResNet(nn.Module):
    def __init__(self, name, stem, classes, channels):
        super().__init__()
        blocks = {"resnet18": (2, 2, 2, 2), "resnet34": (3, 4, 6, 3), "resnet50": (3, 4, 6, 3)}[name]
        kernel, stride = STEMS[stem]
        self.pool = stem == "imagenet"
        self.conv1 = nn.Conv2d(channels, 64, kernel, stride, kernel // 2, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        inside = 64
        for i, count in enumerate(blocks):
            width = 64 << i
            outside = width * (4 if name == "resnet50" else 1)
            layer = []
            for j in range(count):
                layer.append(self.block(name, inside, width, outside, 2 if i > 0 and j == 0 else 1))
                inside = outside
            setattr(self, f"layer{i + 1}", nn.Sequential(*layer))
        self.fc = nn.Linear(inside, classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    @staticmethod
    def block(name, inside, width, outside, stride):
        if name != "resnet50":
            return BasicBlock(inside, outside, stride)
        # torchvision initialises the shortcut before the block's own convolutions and registers it after them.
        shortcut = None
        if stride != 1 or inside != outside:
            shortcut = nn.Sequential(nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside))
        made = Bottleneck(inside, width, stride)
        made.downsample = shortcut
        return made

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)), inplace=True)
        if self.pool:
            x = F.max_pool2d(x, 3, 2, 1)
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))


def make(name, stem, classes, shape):
    if name == "convnet":
        return ConvNet(classes)
    if name == "lenet":
        return LeNet(classes, shape)
    return ResNet(name, stem, classes, shape[0])
