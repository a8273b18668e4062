/// Which mount answers, and who serves it.
package struct MountIdentity: Hashable, Codable, Sendable {
  package var schema = 1
  /// The daemon's version of feedfs.
  package var version: String
  package var pid: Int
  /// Where it was mounted; it may be bound to other places, or be there no more.
  package var mountPoint: String
  /// The minor number of its device; null: unknown.
  package var device: Int?

  package init(version: String, pid: Int, mountPoint: String, device: Int?) {
    self.version = version
    self.pid = pid
    self.mountPoint = mountPoint
    self.device = device
  }
}
