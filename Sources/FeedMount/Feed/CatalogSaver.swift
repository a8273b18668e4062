import Catalog
import FeedReading
import Logging
import Locks
import Storage
import World

/// Saves a catalog when `SaveState` says so. After each save, lists the entries that waited for it.
///
/// Safe from any thread. Saves run on `chores`, one after the other.
final class CatalogSaver: Sendable {
  private let live: LiveCatalog
  private let snapshot: SnapshotFile
  private let chores: any JobQueue
  private let log: Logger
  private let state = Locked(SaveState())

  init(_ live: LiveCatalog, to snapshot: SnapshotFile, chores: any JobQueue, log: Logger) {
    self.live = live
    self.snapshot = snapshot
    self.chores = chores
    self.log = log
  }

  /// The reason why the current catalog could not be saved; nil if the last save worked.
  var trouble: String? {
    state.withLock { $0.trouble }
  }

  /// Notes a change of the catalog, which is saved soon.
  func changed() {
    schedule(state.withLock { $0.changed() })
  }

  /// Saves the current catalog before it returns; blocks. Returns false if the write fails.
  func save() -> Bool {
    chores.wait { write() }
  }

  /// Saves the current catalog. Returns after the write, even if the write has failed.
  func saved() async {
    await withCheckedContinuation { saved in
      chores.add { [self] in
        write()
        saved.resume()
      }
    }
  }

  /// Saves the catalog a last time; blocks.
  func end() {
    state.withLock { $0.end() }
    _ = save()
  }

  // MARK: Private

  private func schedule(_ time: Duration?) {
    guard let time else { return }
    chores.add(after: time) { [self] in
      if state.withLock({ $0.isDue() }) { write() }
    }
  }

  /// Writes the catalog unless the disk has it. Returns false if the write fails. Only called on
  /// `chores`.
  @discardableResult
  func write() -> Bool {
    let (catalog, edition) = live.current
    guard state.withLock({ $0.begins(edition) }) else { return true }
    do throws(StorageError) {
      try snapshot.write(catalog)
    } catch {
      notSaved(error, waiting: catalog.waitingCount)
      return false
    }
    if state.withLock({ $0.succeeded(edition) }) { log.info("catalog saved again") }
    live.saved(before: catalog.nextNumber)
    return true
  }

  /// Logs a failure once, and schedules another save.
  private func notSaved(_ error: StorageError, waiting: Int) {
    var why = error.description
    if case .noSpace(let path) = error {
      why = "\(path): the disk is full; free some space, then it is saved"
    }
    let (isNews, retry) = state.withLock { [why] in $0.failed(why) }
    if isNews {
      log.warning(
        "catalog not saved", metadata: ["why": "\(why)", "new entries that wait": "\(waiting)"])
    }
    schedule(retry)
  }
}
