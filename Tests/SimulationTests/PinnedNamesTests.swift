import Testing

@testable import Storage

/// The list of pins on a disk that loses power.
@Suite(.timeLimit(.minutes(1))) struct PinnedNamesTests {
  @Test(arguments: 0..<20) func afterAPowerCutTheLastPinsAreThere(seed: UInt64) {
    let disk = SimulatedDisk(seed: seed)
    for pins in [["one"], ["one", "two"], ["two"], []] as [Set<String>] {
      #expect(PinnedNames(pins).store(in: SimulatedFile(disk)))
      disk.cut()
      #expect(PinnedNames(in: SimulatedFile(disk)).prefixes == pins)
    }
  }
}
