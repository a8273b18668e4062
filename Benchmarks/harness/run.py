"""The trials of one run: what they share, and how each is begun and cleared away."""
import os, shutil
from . import trial
from .content import Content
from .ordinary import become_ordinary
from .scratch import copy_programs
from .systems import FeedFS
from .workloads.stage import Stage


class Run:
    """Trials one after the other, in `folder`."""

    def __init__(self, folder, parameters):
        self.folder, self.parameters = folder, parameters
        self.programs = os.path.join(folder, 'programs')
        self.content = Content(os.path.join(folder, 'content'), parameters.size)

    def prepare(self, build, programs, workloads):
        """Copies `programs`, makes what the workloads read, and returns those that can be done."""
        copy_programs(build, self.programs, programs)
        FeedFS.program = os.path.join(self.programs, 'feedfs')
        self.content.make({workload.folder for workload in workloads})
        return [workload for workload in workloads if workload.folder in self.content.sizes]

    def trial(self, workload, kind, turn=0):
        """The outcome of one workload with a system of this kind, or of its limit for None."""
        folder = os.path.join(self.folder, 'trial')
        os.makedirs(folder)

        def body(report):
            if workload.ordinary and os.geteuid() == 0:
                become_ordinary(folder)
            with Stage(workload, self.content, self.parameters, folder, self.programs,
                       turn) as stage:
                if kind:
                    workload.measure(stage, kind, report)
                else:
                    workload.limit(stage, report)

        try:
            return trial.run(body, workload.seconds(self.parameters), folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
