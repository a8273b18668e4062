import Filling
import Fuse
import Testing

/// Parts of a mount that do not know each other agree about the kernel.
struct KernelReadTests {
  @Test func fetchesReckonWithTheLargestReadOfTheKernel() {
    #expect(FillRules().seeks.kernelRead == FuseSession.maxRead)
  }
}
