"""What is done with each system: one module for each kind of workload."""
from .complete import Complete
from .films import Films
from .kill import Kill
from .lanes import Lanes
from .lines import FILMS, LINES
from .listing import Listing
from .players import Players
from .secure import SECURE
from .seeks import Seeks
from .start import Start
from .streams import STREAMS

ALL = [Start(), Listing(), Films(), Seeks(), Lanes(), Players(), Kill(), Complete(),
       Complete(ordinary=True), *SECURE, *LINES, *FILMS, *STREAMS]
