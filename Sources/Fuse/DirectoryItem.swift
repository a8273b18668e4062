/// One name in a directory.
package struct DirectoryItem: Sendable {
  package let name: String
  package let attributes: Attributes
  /// Where it stands in the directory, for ever: a listing goes on behind it, whatever has come and
  /// gone meanwhile. Greater than zero.
  package let cookie: Int

  package init(name: String, attributes: Attributes, cookie: Int) {
    self.name = name
    self.attributes = attributes
    self.cookie = cookie
  }
}
