/// A process that has a file open.
package struct ProcessStatus: Hashable, Codable, Sendable {
  package var pid: Int
  package var program: String
  /// How often it has the file open.
  package var descriptors: Int

  package init(pid: Int, program: String, descriptors: Int) {
    self.pid = pid
    self.program = program
    self.descriptors = descriptors
  }
}
