import Glibc

/// An error of a test tool.
package struct TestToolError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// The error text of this thread's last failed call.
func errnoText() -> String {
  String(cString: strerror(errno))
}
