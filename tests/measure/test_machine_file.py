"""The machine file of a measurement: the rest of the file that it starts from."""

from odonata.machine.files import find, read
from odonata.measure.findings import Findings
from odonata.measure.machine_file import compose


def test_the_fit_of_the_first_file_is_not_that_of_the_measured_numbers():
    eos = read(find("eos"))
    assert "model.best_fit" in eos.numbers
    text = compose(Findings(), eos, {}, name="mine", description="Eos, measured again.")
    assert "best_fit" not in text
    assert "memory_bandwidth = " in text
