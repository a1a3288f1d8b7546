internal import CProcessGuard
internal import Glibc
internal import POSIX

/// What a restricted process may do with files and TCP ports. Everything else fails with EACCES (Landlock, landlock(7)).
///
/// Files and sockets that are open, and Unix sockets with a path, are not restricted.
public struct FileRules: Sendable, Equatable {
  /// Files and folders that are read.
  public var read: [String] = []
  /// Files and folders that are read and executed: programs and libraries.
  public var execute: [String] = []
  /// Folders in which files are read, written, created and removed.
  public var write: [String] = []
  /// Devices and folders of devices, which are also controlled by ioctl(2).
  public var devices: [String] = []
  /// The TCP ports on which the process listens; 0 for one that the system chooses.
  public var listen: [UInt16] = []
  /// The TCP ports to which the process connects; nil for every port.
  public var connect: [UInt16]? = []

  /// Allows nothing.
  public init() {}

  /// What every program needs: the libraries and settings of the system, the folders in which its own libraries are, and the
  /// devices without a device, such as /dev/null.
  public static var base: FileRules {
    var rules = FileRules()
    rules.execute = ["/usr", "/lib", "/lib64", "/bin", "/etc"] + LoadedFiles.folders()
    rules.read = ["/proc", "/sys", "/run"]
    // Not their folder: it has one that all processes share, /dev/shm.
    rules.devices = ["null", "zero", "full", "random", "urandom", "tty"].map { "/dev/\($0)" }
    return rules
  }

  private struct Rights: OptionSet {
    let rawValue: UInt64
    static let execute = Rights(rawValue: 1)
    static let read: Rights = Rights(rawValue: 1 << 2 | 1 << 3)
    static let change = Rights(rawValue: 1 << 1 | 0x1FF << 4 | 1 << 13 | 1 << 14)
    static let control = Rights(rawValue: 1 << 15)

    /// The rights that a version of the interface knows.
    static func known(in version: Int32) -> Rights {
      Rights(rawValue: 0x1FFF | (version > 1 ? 1 << 13 : 0) | (version > 2 ? 1 << 14 : 0) | (version > 4 ? 1 << 15 : 0))
    }
  }

  private static let bind: UInt64 = 1
  private static let connection: UInt64 = 2
  /// Abstract Unix sockets, and signals to processes outside.
  private static let scopes: UInt64 = 3

  /// Restricts the calling thread and what it starts later. Call it before the program has a second thread.
  ///
  /// A path that does not exist is left out. What the kernel cannot restrict is added to `ProcessProtection.gaps`.
  public func apply() {
    let version = cguard_landlock_version()
    ProcessProtection.add(Self.gaps(in: version))
    guard version > 0 else { return }
    let known = Rights.known(in: version)
    var handled = cguard_ruleset(
      files: known.rawValue, ports: version < 4 ? 0 : Self.bind | (connect == nil ? 0 : Self.connection),
      scopes: version < 6 ? 0 : Self.scopes)
    // The call reads the structure.
    let number = unsafe cguard_landlock_create(&handled, version)
    guard number >= 0 else { return ProcessProtection.add("access to other files", -number) }
    let ruleset = Descriptor(owning: number)
    allow(execute, [.execute, .read], known, ruleset)
    allow(read, .read, known, ruleset)
    allow(write, [.read, .change], known, ruleset)
    allow(devices, [.read, .change, .control], known, ruleset)
    if version >= 4 {
      for port in listen { cguard_landlock_allow_port(ruleset.number, port, Self.bind) }
      for port in connect ?? [] { cguard_landlock_allow_port(ruleset.number, port, Self.connection) }
    }
    let code = cguard_landlock_restrict(ruleset.number)
    if code == 0 { ProcessProtection.restricted(to: resolved) }
    ProcessProtection.add("access to other files", code)
  }

  /// The rules that this kernel does not have.
  public static var gaps: [ProtectionGap] { gaps(in: cguard_landlock_version()) }

  static func gaps(in version: Int32) -> [ProtectionGap] {
    [
      (0, "access to other files", "Landlock"), (3, "access to other TCP ports", "Linux 6.7"),
      (5, "signals to other processes", "Linux 6.12"),
    ].filter { version <= $0.0 && (version > 0 || $0.0 == 0) }
      .map { ProtectionGap(measure: $0.1, number: ENOSYS, needs: $0.2) }
  }

  private func allow(_ paths: [String], _ rights: Rights, _ known: Rights, _ ruleset: borrowing Descriptor) {
    // The call reads the path. A path that does not exist, or that the user cannot reach, needs no rule.
    for path in paths {
      _ = unsafe cguard_landlock_allow_path(ruleset.number, path, rights.intersection(known).rawValue)
    }
  }

  /// The rules with the files that the paths name now: a symbolic link that changes later changes no rule.
  private var resolved: FileRules {
    var rules = self
    rules.read = read.map(LoadedFiles.resolved)
    rules.execute = execute.map(LoadedFiles.resolved)
    rules.write = write.map(LoadedFiles.resolved)
    rules.devices = devices.map(LoadedFiles.resolved)
    return rules
  }

  /// Whether a rule of `ProcessProtection.fileRules` allows to read a path. Symbolic links in it are followed.
  public func allowsReading(_ path: String) -> Bool {
    let place = LoadedFiles.resolved(path)
    return (read + execute + write + devices).contains { $0 == "/" || place == $0 || place.hasPrefix($0 + "/") }
  }
}
