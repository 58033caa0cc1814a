"""Printed rules in compiled code: found, understood as boxes, fields, tables, combs and underlines, and taken out."""
