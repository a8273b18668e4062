/// What `statfs` says of the whole mount.
package struct Statistics: Sendable {
  package let files: Int
  /// Bytes of all files together, as far as known.
  package let bytes: Int

  package init(files: Int, bytes: Int) {
    self.files = files
    self.bytes = bytes
  }
}
