package import Blocks
import Locks
package import SystemPackage

/// The folder of one feed in the cache directory, locked against other processes.
///
/// ```
/// ROOT/                       0700, only for this user; shared by all feeds
/// ROOT/CACHEDIR.TAG           tells backup programs to leave the directory out
/// ROOT/<feed>/                0700, locked (flock) while it is open
/// ROOT/<feed>/pid             the process that has the lock, for messages
/// ROOT/<feed>/epoch           a number that tells which clean marks are still valid: Epoch
/// ROOT/<feed>/pinned          entries that are never evicted: PinnedNames
/// ROOT/<feed>/<hash>.data     EntryFile
/// ROOT/<feed>/<hash>.idx      IndexFile
/// ROOT/<feed>/<hash>.doubt    ranges that are suspect: SuspectRanges
/// ROOT/<feed>/<hash>.doc      a small document, such as a sidecar; <hash>.sum: DocumentSum
/// ```
/// For any thread. Opening and closing can block. Threads that open the same file wait in turn.
package final class CacheDirectory: Sendable {
  /// The time from the first write after a flush to the next flush.
  package static let flushDelay: Duration = .seconds(1)

  let feedKey: String
  let blockSize: Int
  let folder: Folder
  /// The prefixes of the names of the files that the directory had when it was opened. A feed can
  /// have ten thousand entries, and a look-up here is cheaper than one on the disk.
  let foundPrefixes: Set<String>
  let epoch: Epoch
  private let flusher: Flusher
  private let writer: Writer
  private let recentMemory: RecentMemory
  private let memory: MappedMemory
  private let buffers = CopyBuffers()
  private let space: Locked<FreeSpace>
  let limit: CacheLimit?
  /// The open files and the pins. A thread with the lock takes no other lock, and uses no disk.
  let entries = Locked(FilesInMemory())
  /// The prefixes of the names of the files with growing bodies that this object has opened.
  let growing = Locked<Set<String>>([])
  /// A lock for each name, held while files of that name are opened, replaced or removed.
  let names = NamedLocks<String>()
  /// A lock for each name, held while a thread reads from the disk how much of that file is cached.
  let looks = NamedLocks<String>()

  /// Makes `root` and the feed's folder if they are missing, and takes the feed's lock.
  ///
  /// - Parameters:
  ///   - limit: the limit for all feeds together; nil if there is none.
  ///   - blockSize: the length of a block in bytes. Files of another block size count as missing.
  ///   - flushDelay: the longest time from a write to its flush. A power cut costs these writes.
  package convenience init(
    at root: FilePath, feedKey: String, minFree: FreeSpaceRule = .standard,
    limit: CacheLimit? = nil,
    blockSize: Int = BlockLayout.standardBlockSize,
    flushDelay: Duration = CacheDirectory.flushDelay, on disk: Disk = .real
  ) throws(StorageError) {
    try self.init(
      in: disk.open(root, true), feedKey: feedKey, minFree: minFree, limit: limit,
      blockSize: blockSize, flusher: Flusher(delay: flushDelay, timer: disk.timer),
      writer: Writer(timer: disk.timer))
  }

  init(
    in root: Folder, feedKey: String, minFree: FreeSpaceRule, limit: CacheLimit?, blockSize: Int,
    flusher: Flusher, writer: Writer = Writer(), recentMemory: RecentMemory = .ofProcess
  ) throws(StorageError) {
    self.feedKey = feedKey
    self.blockSize = blockSize
    self.limit = limit
    Self.tag(root)
    folder = try Folder(Fingerprint(of: feedKey).description, in: root)
    space = Locked(FreeSpace(minFree))
    self.flusher = flusher
    self.writer = writer
    self.recentMemory = recentMemory
    memory = MappedMemory { recentMemory.used }
    try Self.lock(folder)
    epoch = Epoch(in: folder.file)
    foundPrefixes = Set(EntryKey.prefixes(in: (try? folder.file.names()) ?? []))
    let pinned = PinnedNames(in: folder.file)
    entries.withLock { ($0.pinned, $0.savedPins) = (pinned, pinned) }
    noteHolder()
  }

  /// Opens the file of `representation`. Returns nil if there is none and `create` is false.
  ///
  /// While the file is open, every caller gets the same object. A damaged file, or one of another
  /// format, counts as missing. If `create` is true, a damaged file is replaced, one of an older
  /// format is set aside, and for one of a later feedfs this throws. On a read-only disk, an
  /// existing file is opened for reading. An existing file keeps its content type.
  package func open(
    _ key: EntryKey, _ representation: Representation, contentType: String?, create: Bool
  ) throws(StorageError) -> EntryFile? {
    let name = key.fileName(representation, feedKey: feedKey)
    let wanted = IndexHeader(
      key: key, representation: representation,
      layout: BlockLayout(length: representation.length, blockSize: blockSize),
      contentType: contentType)
    guard wanted.fits else {
      guard create else { return nil }
      throw .unwritable(folder.path(of: name), .fileNameTooLong)
    }
    return try names.holding(name) { () throws(StorageError) in
      let (isClosed, open) = entries.withLock { ($0.isClosed, $0.open[name]?.file) }
      guard !isClosed else { throw .closed(folder.path) }
      if let open { return open }
      if key.isGrowing { growing.withLock { _ = $0.insert(EntryKey.prefix(ofName: name)) } }
      let file = try load(name, matching: wanted, create: create)
      guard note(file, as: name) else {
        file?.retire()
        throw .closed(folder.path)
      }
      return file
    }
  }

  /// Notes that `file` is open under `name`. If `file` is nil, notes that no file is open there.
  /// Returns false if the directory is closed.
  func note(_ file: EntryFile?, as name: String) -> Bool {
    entries.withLock { entries in
      guard !entries.isClosed else { return false }
      entries.open = entries.open.filter { $0.value.file != nil }
      entries.open[name] = file.map { FilesInMemory.Weak(file: $0) }
      return true
    }
  }

  /// Removes the file of `representation`. A caller that has the file open can go on using it. The
  /// next opening makes an empty file.
  package func remove(_ key: EntryKey, _ representation: Representation) {
    remove(key.fileName(representation, feedKey: feedKey))
  }

  /// Removes the version called `name`, otherwise like `remove(_:_:)`.
  package func remove(_ name: String) {
    names.holding(name) {
      openFile(name)?.hold()
      entries.withLock { $0.open[name] = nil }
      removeFiles(name)
    }
  }

  /// Removes the version called `name`. If it is open, returns false and removes nothing.
  package func removeUnlessOpen(_ name: String) -> Bool {
    names.holding(name) {
      guard openFile(name) == nil else { return false }
      removeFiles(name)
      return true
    }
  }

  /// Counts the size of the cache again after a command has cleared bytes. Blocks on the disk.
  package func recount() {
    limit?.recount()
  }

  /// Pins `entries` and no others. Their bytes are never evicted, even while the feed is not
  /// mounted. Returns false if the disk refuses the pins. Then they last only until this object
  /// ends. Blocks on the disk.
  package func pin(_ entries: [String]) -> Bool {
    let pinned = PinnedNames(Set(prefixes(of: entries)))
    let isStored = self.entries.withLock { state in
      state.pinned = pinned
      return state.savedPins == pinned
    }
    guard !isStored else { return true }
    guard pinned.store(in: folder.file) else { return false }
    self.entries.withLock { $0.savedPins = pinned }
    return true
  }

  func removeFiles(_ name: String) {
    for ending in EntryFiles.endings { try? folder.file.remove(name + ending) }
  }

  /// Lets `body` replace the files under `name` with the file that it returns, or remove them. No
  /// thread can open them meanwhile. Returns nil if they are open or pinned.
  func replacing<Result>(
    _ name: String, _ body: () -> (result: Result, file: EntryFile?)
  ) -> Result? {
    let made = names.holding(name) { () -> (result: Result, file: EntryFile?)? in
      let mayBegin = entries.withLock { entries in
        !entries.isClosed && entries.open[name]?.file == nil && !entries.pinned.contains(name)
      }
      guard mayBegin else { return nil }
      let made = body()
      if !note(made.file, as: name) { made.file?.retire() }
      return made
    }
    // The file is closed after the lock of `name` is released, because closing waits for the disk.
    try? made?.file?.close()
    return made?.result
  }

  /// Returns the prefixes of the file names of `entries`.
  func prefixes(of entries: [String]) -> [String] {
    entries.map { EntryKey.prefix(of: $0, feedKey: feedKey) }
  }

  /// Returns the file under `name` if it is open.
  func openFile(_ name: String) -> EntryFile? {
    entries.withLock { $0.open[name]?.file }
  }

  /// The files that are open.
  var openFiles: [EntryFile] {
    entries.withLock { $0.open.values.compactMap(\.file) }
  }

  /// Decides whether `bytes` more are allowed to be written. If so, they count as used until the
  /// free space of the disk is read again.
  ///
  /// Callers ask this before each write. Only the first call waits for the disk.
  package func room(for bytes: Int) -> Room {
    let now = ContinuousClock.now
    let known: Bool? = space.withLock { $0.mustLook(at: now) ? nil : $0.grant(bytes) }
    guard known ?? grantAfterALook(bytes) else {
      if space.withLock({ $0.isKnown }) { limit?.diskIsFull() }
      return .diskIsFull
    }
    return limit?.hasRoom(for: bytes) ?? true ? .enough : .cacheIsFull
  }

  private func grantAfterALook(_ bytes: Int) -> Bool {
    if space.withLock(\.isKnown) {
      writer.run { [weak self] in self?.look() }
    } else {
      look()
    }
    return space.withLock { $0.grant(bytes) }
  }

  private func look() {
    let pending = pendingBytes
    let look = try? folder.file.space()
    space.withLock { $0.saw(look, pending: pending, at: .now) }
  }

  /// The error of the last flush; nil if it succeeded.
  package var trouble: StorageError? {
    flusher.trouble
  }

  /// Flushes every open file and marks it clean, refuses later writes, and releases the lock.
  ///
  /// Bytes of open files can still be lent. A second call does nothing.
  package func close() {
    let files = entries.withLock { entries in
      defer { entries.isClosed = true }
      return entries.isClosed ? nil : entries.open.values.compactMap(\.file)
    }
    guard let files else { return }
    limit?.leave(self)
    for file in files { file.retire() }
    flusher.drain()
    // If closing fails, the file gets no clean mark, and the next opening verifies it.
    for file in files {
      // Incomplete blocks are written too, so that their memory can be used for other files.
      file.writeOutAll()
      try? file.close()
      file.abandonWrites()
    }
    writer.end()
    epoch.end()
    folder.file.unlock()
  }

  func load(
    _ name: String, matching wanted: IndexHeader, create: Bool
  ) throws(StorageError) -> EntryFile? {
    let path = folder.path(of: name + ".data")
    var found: (files: EntryFiles, header: IndexHeader, state: EntryState)
    switch create ? IndexFile.otherFormat(in: folder, name) : nil {
    case .older: for ending in EntryFiles.endings { folder.setAside(name + ending) }
    case .newer: throw .newer(path)
    case nil: break
    }
    do throws(Errno) {
      if let files = try EntryFiles.existing(name, in: folder),
        let (header, state) = try files.load(matching: wanted, epoch: epoch.value)
      {
        found = (files, header, state)
      } else {
        guard create else { return nil }
        let files = try EntryFiles.fresh(name, in: folder, header: wanted)
        found = (files, wanted, EntryState(layout: wanted.layout))
      }
    } catch {
      throw StorageError(error, at: path)
    }
    found.state.suspects = suspects(of: name)
    return try EntryFile(
      found.files, at: path, header: found.header, state: found.state, flusher: flusher,
      writer: writer, recentMemory: recentMemory, memory: memory, buffers: buffers,
      epoch: epoch.value)
  }
}
