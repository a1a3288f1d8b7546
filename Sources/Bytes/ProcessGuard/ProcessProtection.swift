internal import CProcessGuard
internal import Dispatch
internal import Glibc
internal import POSIX
internal import Synchronization

/// The protection of this process against other processes of its user, and against code that enters its memory.
///
/// `begin` is the first call of a program: it works on the calling thread, and the threads that start later inherit it.
public enum ProcessProtection {
  /// How the protection concerns the programs that this one starts.
  public enum Children: Sendable {
    /// They may make memory executable, as the just-in-time compilers of other languages do.
    case mayCompile
    /// They may not.
    case restricted
  }

  private struct State {
    var environment: String?
    var gaps: [ProtectionGap] = []
    var rules: FileRules?
    var needed: Set<String>?
    var foreign: [String] = []
  }

  private static let state = Mutex(State())

  /// Protects this process: no core file, no debugger and no reader of its memory under the same user, no memory that is
  /// writable and executable, no privileges gained by a file that it starts, and no memory in the text of a crash.
  ///
  /// Keeps the names of the environment at the start, since a process that cannot be dumped cannot read
  /// `/proc/self/environ` again (proc(5)), and the libraries that were loaded although no object names them. What the
  /// kernel refuses is in `gaps`. Root passes all of these protections. A build with the trait `DebugFlavour` lets a
  /// debugger in.
  ///
  /// - Parameter children: Linux before 6.6 restricts the children too.
  public static func begin(children: Children) {
    let environment = StartEnvironment.read()
    leaveCrashesToKernel()
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    // The calls read the limit.
    let core = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    add("core files", core == 0 ? 0 : errno)
    #if !DebugFlavour
      add("a debugger or reader of the same user", cguard_not_dumpable())
    #endif
    let inherits = children == .restricted
    let code = cguard_no_new_code(inherits ? 1 : 0)
    add("memory that becomes executable", code == 0 || inherits ? code : cguard_no_new_code(1), needs: "Linux 6.3")
    add("privileges by a started file", cguard_no_new_privileges())
    // The program itself, and the code that the kernel brings.
    let needed = LoadedCode.neededFiles().union([LoadedFiles.resolved("/proc/self/exe")])
    let foreign = LoadedFiles.paths().filter { !needed.contains($0) }
    state.withLock { state in
      state.environment = environment
      state.needed = needed
      state.foreign = foreign
    }
  }

  /// What the kernel did not protect, in the order of the attempts.
  public static var gaps: [ProtectionGap] { state.withLock(\.gaps) }

  /// The environment at the start as `/proc/self/environ` shows it, with the values of LD_PRELOAD and LD_AUDIT only; nil
  /// before `begin`, and when it could not be read.
  package static var startEnvironment: String? { state.withLock(\.environment) }

  /// The files with code that were in memory at `begin` although neither the program nor one of its libraries names
  /// them; nil before `begin`.
  package static var foreignLibraries: [String]? { state.withLock { $0.needed == nil ? nil : $0.foreign } }

  /// Whether a file with code would be one of `foreignLibraries`; true before `begin`.
  package static func isForeign(_ file: String) -> Bool { state.withLock { $0.needed?.contains(file) != true } }

  /// Whether other processes of the same user can read the memory of this one.
  public static var isDumpable: Bool { cguard_is_dumpable() != 0 }

  /// Runs the body of a program, and ends it with code 0 when the body returns. The main thread serves the main queue.
  ///
  /// In a `main` that is asynchronous itself, threads exist that the restrictions of the calling thread do not reach.
  public static func run(_ body: @escaping @Sendable () async -> Void) -> Never {
    Task {
      await body()
      exit(0)
    }
    dispatchMain()
  }

  /// What this process may do with files; nil while it is not restricted.
  public static var fileRules: FileRules? { state.withLock(\.rules) }

  static func restricted(to rules: FileRules) { state.withLock { $0.rules = rules } }

  static func add(_ measure: String, _ number: Int32, needs: String? = nil) {
    guard number != 0 else { return }
    state.withLock { $0.gaps.append(ProtectionGap(measure: measure, number: number, needs: needs)) }
  }

  static func add(_ gaps: [ProtectionGap]) { state.withLock { $0.gaps += gaps } }

  // The runtime of Swift installs handlers before `main`, whose text contains the memory that the registers point to.
  private static func leaveCrashesToKernel() {
    for number in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP] {
      var present = sigaction()
      // The call writes the present action.
      unsafe sigaction(number, nil, &present)
      let address = unsafe unsafeBitCast(present.__sigaction_handler, to: UInt.self)
      // Ignored (1) stays ignored.
      if address > 1 { signal(number, SIG_DFL) }
    }
  }
}

/// A protection that this kernel does not give.
public struct ProtectionGap: Hashable, Sendable, CustomStringConvertible {
  /// The attack that is not prevented.
  public let measure: String
  /// The error number of the system call.
  public let number: Int32
  /// The version of Linux that has the protection, when it is known.
  public let needs: String?

  /// A sentence without a full stop.
  public var description: String {
    "this kernel does not prevent \(measure): \(SystemError(number))\(needs.map { "; \($0) is needed" } ?? "")"
  }
}
