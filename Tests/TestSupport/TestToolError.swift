import Glibc

/// Why a tool of the tests could not do its work.
package struct TestToolError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// What the last failed call of this thread said.
func errnoText() -> String {
  String(cString: strerror(errno))
}
