"""Checks: placeholder door."""
def run(machine, decls, report):
    return None
