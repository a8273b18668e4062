import SystemPackage

/// What tells one run of the kernel from another.
enum BootID {
  /// 36 characters; empty where the kernel does not say.
  static let current: String = {
    guard let folder = try? File(directory: "/proc/sys/kernel/random"),
      let file = try? File("boot_id", in: folder, for: .read),
      let bytes = try? file.read(36, at: 0)
    else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }()
}
