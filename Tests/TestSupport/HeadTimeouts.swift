import Glibc

/// Waits until a condition is true, and asks again each millisecond: a test that only asked would
/// take the processor from those it waits for. A test's own time limit ends an endless wait.
package func until(_ condition: () -> Bool) async {
  while !condition() {
    poll(nil, 0, 1)
    await Task.yield()
  }
}
