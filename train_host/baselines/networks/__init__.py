"""Convolutional networks, with PyTorch on the processor; the extra `deep`. They see the 32x32 square.

Layers are named as torchvision names them, so that files of its ImageNet weights fit.
"""
