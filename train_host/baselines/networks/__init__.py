"""Convolutional networks in PyTorch, on the processor. They need the extra `deep` and see the 32x32 square.

Layers have torchvision's names, so that its files of ImageNet weights can be loaded.
"""
