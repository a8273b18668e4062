package import SystemPackage

/// Why there is no mount.
package enum FuseError: Error, Sendable {
  /// libfuse refused the options.
  case options(String)
  /// The kernel or fusermount3 refused the mount; what they printed has been seen by the user.
  case mount(String, Errno)
}
