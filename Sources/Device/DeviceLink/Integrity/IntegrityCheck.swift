internal import DeviceAuthentication
internal import Ciphers
internal import Glibc
internal import POSIX
internal import ProcessGuard

/// A check of this process with its control: the same check of what an attack looks like.
struct IntegrityCheck: Sendable {
  private let name: String
  private let look: @Sendable () -> (findings: [IntegrityFinding], findsControl: Bool)

  /// A check whose control costs little.
  init(
    name: String, findings: @escaping @Sendable () -> [IntegrityFinding], findsControl: @escaping @Sendable () -> Bool
  ) {
    self.init(name: name) { (findings(), findsControl()) }
  }

  /// A check that looks once, for what is there and for its control.
  init(name: String, look: @escaping @Sendable () -> (findings: [IntegrityFinding], findsControl: Bool)) {
    (self.name, self.look) = (name, look)
  }

  /// The findings, and one more when the check does not find its control.
  func run() -> [IntegrityFinding] {
    let (findings, findsControl) = look()
    return findings + (findsControl ? [] : [.disabledCheck(name)])
  }
}

extension IntegrityCheck {
  /// Libraries of the start that no needed file names: of LD_PRELOAD and LD_AUDIT, and of /etc/ld.so.preload.
  static let libraries = IntegrityCheck(
    name: "libraries",
    findings: { (ProcessProtection.foreignLibraries ?? []).map { .foreignLibrary($0) } },
    findsControl: { ProcessProtection.isForeign("/nowhere.so") })

  /// Imported functions.
  static let functions = IntegrityCheck(
    name: "imported functions",
    findings: { LoadedCode.replacedFunctions().names.map { .replacedFunction($0) } },
    findsControl: { LoadedCode.replacedFunctions(isControl: true).count > 0 })

  /// The code of the program and of the C library in memory.
  static let text = IntegrityCheck(
    name: "code in memory", findings: { changes(isControl: false) }, findsControl: { !changes(isControl: true).isEmpty }
  )

  /// The code in memory against the digest of the package. The code of a program without a seal is not read.
  static let seal = IntegrityCheck(name: "the seal") {
    let sealed = LoadedCode.sealedDigest
    let present = sealed == nil ? [] : codeDigest()
    let isIntact = sealed.map { isSealed(present, with: $0) } ?? true
    return (
      isIntact ? [] : [.changedCode("the program, which differs from its seal,")],
      !isSealed(present, with: [UInt8](repeating: 1, count: 32))
    )
  }

  /// The threads of Frida and of the library that it brings.
  static let threads = IntegrityCheck(
    name: "threads", findings: { instrumentation(threadNames()) },
    findsControl: { instrumentation(["gum-js-loop"]).count == 1 })

  static func changes(isControl: Bool) -> [IntegrityFinding] {
    do throws(LoadedCode.Unreadable) {
      guard let change = try LoadedCode.changedFile(isControl: isControl) else { return [] }
      return [.changedCode("\(change) in memory")]
    } catch {
      return [.unchecked("\(error.file) cannot be read: \(SystemError(error.number))")]
    }
  }

  private static func codeDigest() -> [UInt8] {
    var digests: [UInt8] = []
    LoadedCode.readOnlySlices { digests += SHA256.digest(of: $0) }
    return SHA256.digest(of: digests)
  }

  private static func isSealed(_ present: [UInt8], with digest: [UInt8]) -> Bool { present == digest }

  static func instrumentation(_ names: [String]) -> [IntegrityFinding] {
    let own = threads(names, ["gum-js", "frida", "linjector"])
    // Frida brings GLib, which modules of PAM use too: its threads alone are no sign.
    return own.isEmpty ? [] : own + threads(names, ["gmain", "gdbus"])
  }

  private static func threads(_ names: [String], _ prefixes: [String]) -> [IntegrityFinding] {
    names.filter { name in prefixes.contains { name.hasPrefix($0) } }.map { .instrumentation(thread: $0) }
  }

  private static func threadNames() -> [String] {
    guard let folder = unsafe opendir("/proc/self/task") else { return [] }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let thread = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { name in
        unsafe String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let name = SmallFile.text("/proc/self/task/\(thread)/comm") { names.append(String(name.dropLast())) }
    }
    return names
  }
}
