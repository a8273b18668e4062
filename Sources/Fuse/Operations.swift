import CFuse
import SystemPackage

/// Returns libfuse's table of callbacks. Each callback turns C values into Swift values, asks the
/// file system, and lets `Request` answer.
///
/// This function is nonisolated on purpose: callbacks of the main actor would trap on libfuse's
/// threads.
func operations() -> fuse_lowlevel_ops {
  var table = fuse_lowlevel_ops()
  addSession(to: &table)
  addNames(to: &table)
  addFiles(to: &table)
  addRefusals(to: &table)
  return table
}

private func addSession(to table: inout fuse_lowlevel_ops) {
  table.`init` = { _, connection in
    guard let connection else { return }
    negotiate(&connection.pointee)
  }
  table.statfs = { request, _ in
    let request = Request(request)
    request.statistics(request.fileSystem.statistics())
  }
}

/// Negotiates the features of the mount with the kernel. Without these settings, some processes
/// could not be killed (docs/architecture.md).
private func negotiate(_ connection: inout fuse_conn_info) {
  let unwanted = UInt32(FUSE_CAP_AUTO_INVAL_DATA) | UInt32(FUSE_CAP_ASYNC_DIO)
  connection.want &= ~unwanted
  connection.want |= connection.capable & UInt32(FUSE_CAP_EXPLICIT_INVAL_DATA)
  // With this, the kernel looks up "." and ".." of a node by its number, for NFS file handles of
  // inodes that it has dropped.
  connection.want |= connection.capable & UInt32(FUSE_CAP_EXPORT_SUPPORT)
  connection.max_read = UInt32(FuseSession.maxRead)
  connection.max_background = UInt32(Background.maxRequests)
  connection.congestion_threshold = UInt32(Background.congestion)
}

private func addNames(to table: inout fuse_lowlevel_ops) {
  table.lookup = { request, directory, name in
    let request = Request(request)
    request.answer { fs throws(Errno) in
      guard let name = text(name) else { throw .noSuchFileOrDirectory }
      let node = KernelNode(number: directory)
      switch name {
      case ".": request.entry(try attributes(of: node.node, in: fs), as: node)
      case "..":
        let parent = try fs.parent(of: node.node)
        request.entry(try attributes(of: parent, in: fs))
      default: request.entry(try fs.lookup(name, in: node.node))
      }
    }
  }
  // The catalog keeps the inodes, so there is nothing to forget.
  table.forget = { request, _, _ in Request(request).none() }
  table.forget_multi = { request, _, _ in Request(request).none() }
  table.getattr = { request, inode, _ in
    let request = Request(request)
    request.fileSystem.attributes(of: NodeID(kernel: inode), reply: AttributesReply(request))
  }
  table.access = { request, inode, mask in
    let request = Request(request)
    request.answer { fs throws(Errno) in
      _ = try fs.attributes(of: NodeID(kernel: inode))
      guard mask & W_OK == 0 else { throw Errno.readOnlyFileSystem }
      request.done()
    }
  }
  table.readlink = { request, inode in
    let request = Request(request)
    request.answer { fs throws(Errno) in
      request.link(to: try fs.target(of: NodeID(kernel: inode)))
    }
  }
  table.readdir = { request, inode, size, offset, _ in
    list(request, inode, size: size, after: offset, withAttributes: false)
  }
  table.readdirplus = { request, inode, size, offset, _ in
    list(request, inode, size: size, after: offset, withAttributes: true)
  }
  addExtendedAttributes(to: &table)
}

/// Returns the attributes of a node whose number came from a file handle of NFS. Throws ESTALE if
/// this file system never gave that number.
private func attributes(
  of node: NodeID, in fs: any ReadOnlyFileSystem
) throws(Errno) -> Attributes {
  let attributes = try fs.attributes(of: node)
  guard attributes.inode == node else { throw .staleNFSFileHandle }
  return attributes
}

/// Returns the name as text; nil if it is not UTF-8. No file has such a name, because all names in
/// the mount are UTF-8.
private func text(_ name: UnsafePointer<CChar>?) -> String? {
  name.flatMap { String(validatingCString: $0) }
}

private func list(
  _ request: fuse_req_t?, _ inode: fuse_ino_t, size: Int, after cookie: Int, withAttributes: Bool
) {
  let request = Request(request)
  request.answer { fs throws(Errno) in
    // The shortest entry of a listing has 24 or 152 bytes (fuse_dirent, fuse_direntplus).
    let limit = size / (withAttributes ? 152 : 24) + 1
    let items = try fs.items(of: NodeID(kernel: inode), after: cookie, limit: limit)
    request.context.listing.answered(request.caller.thread, isLast: items.isEmpty)
    request.listing(items, size: size, withAttributes: withAttributes)
  }
}

private func addExtendedAttributes(to table: inout fuse_lowlevel_ops) {
  table.getxattr = { request, inode, name, size in
    let request = Request(request)
    request.answer { fs throws(Errno) in
      guard let name = text(name) else { throw .noData }
      let value = try fs.attribute(name, of: NodeID(kernel: inode))
      request.attributeValue(Array(value.utf8), size: size)
    }
  }
  table.listxattr = { request, inode, size in
    let request = Request(request)
    request.answer { fs throws(Errno) in
      let names = try fs.attributeNames(of: NodeID(kernel: inode))
      request.attributeValue(names.flatMap { Array($0.utf8) + [0] }, size: size)
    }
  }
}

private func addFiles(to table: inout fuse_lowlevel_ops) {
  table.open = { request, inode, info in
    let request = Request(request)
    guard let info else { return request.fail(.invalidArgument) }
    guard info.pointee.flags & O_ACCMODE == O_RDONLY else {
      return request.fail(.readOnlyFileSystem)
    }
    let node = KernelNode(number: inode)
    request.fileSystem.open(node.node, reply: OpenReply(request, of: node, info.pointee))
  }
  table.read = { request, _, size, offset, info in
    let request = Request(request)
    guard let info else { return request.fail(.badFileDescriptor) }
    let handle = info.pointee.fh
    // The kernel names an owner (FUSE_READ_LOCKOWNER) for reads that a program makes, and no owner
    // for reads that fill the kernel's pages.
    OpenHandle.at(handle).file.read(
      offset..<offset + size,
      reply: ReadReply(request, of: handle, hasOwner: info.pointee.lock_owner != 0))
  }
  table.flush = { request, _, info in
    let request = Request(request)
    if let info { request.context.parked.left(info.pointee.fh, by: request.caller) }
    request.done()
  }
  table.release = { request, _, info in
    if let info { OpenHandle.release(info.pointee.fh).file.close() }
    Request(request).done()
  }
}

/// Refuses every change of the file system.
private func addRefusals(to table: inout fuse_lowlevel_ops) {
  table.setattr = { request, _, _, _, _ in Request(request).fail(.readOnlyFileSystem) }
  table.mknod = { request, _, _, _, _ in Request(request).fail(.readOnlyFileSystem) }
  table.mkdir = { request, _, _, _ in Request(request).fail(.readOnlyFileSystem) }
  table.unlink = { request, _, _ in Request(request).fail(.readOnlyFileSystem) }
  table.rmdir = { request, _, _ in Request(request).fail(.readOnlyFileSystem) }
  table.symlink = { request, _, _, _ in Request(request).fail(.readOnlyFileSystem) }
  table.rename = { request, _, _, _, _, _ in Request(request).fail(.readOnlyFileSystem) }
  table.link = { request, _, _, _ in Request(request).fail(.readOnlyFileSystem) }
  table.create = { request, _, _, _, _ in Request(request).fail(.readOnlyFileSystem) }
  table.write = { request, _, _, _, _, _ in Request(request).fail(.readOnlyFileSystem) }
  table.fallocate = { request, _, _, _, _, _ in Request(request).fail(.readOnlyFileSystem) }
  table.setxattr = { request, _, _, _, _, _ in Request(request).fail(.readOnlyFileSystem) }
  table.removexattr = { request, _, _ in Request(request).fail(.readOnlyFileSystem) }
}
