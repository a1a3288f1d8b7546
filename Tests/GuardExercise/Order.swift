import DeviceAuthentication
import DeviceLink
import Glibc
import Octets
import ProcessGuard

/// What a line of the standard input asks for. The result is one line: `LINE: ok`, an error of the system, or findings.
enum Order {
  static func run(_ line: String) -> String {
    let words = line.split(separator: " ").map(String.init)
    return line + ": " + result(words.first ?? "", words.dropFirst().first ?? "")
  }

  private static func result(_ order: String, _ operand: String) -> String {
    switch order {
    case "scan": return scan(times: Int(operand) ?? 1)
    case "duration": return "\(milliseconds { _ = ProcessIntegrity().findings() })"
    // A use of a key, and a random moment, by checks that live as long as the program.
    case "use": return text(of: GuardExercise.integrity.findings())
    case "look": return text(of: GuardExercise.integrity.look())
    case "remarks": return ProcessIntegrity.remarks.joined(separator: "; ")
    case "react":
      let reaction = TamperingReaction(rawValue: operand) ?? .error
      return ProcessIntegrity(reaction: reaction).findings().isEmpty ? "clean" : "found"
    case "erase":
      SecretPages.erase()
      return GuardExercise.secret.withExposedOctets { octets in octets.indices.allSatisfy { octets[$0] == 0 } }
        ? "erased" : "present"
    case "read": return text(open(operand, O_RDONLY))
    case "write": return text(open(operand, O_RDWR | O_CREAT, 0o600))
    case "listen": return listen(UInt16(operand) ?? 0)
    case "start": return start(operand)
    case "chroot": return text(chroot("/"))
    case "code": return writableCode()
    case "crash": crash()
    default: return "unknown"
    }
  }

  private static func text(_ result: Int32) -> String { result < 0 ? String(cString: strerror(errno)) : "ok" }

  /// The time that all processors spend in a call.
  private static func milliseconds(_ call: () -> Void) -> Int {
    let start = clock()
    call()
    return (clock() - start) / (Int(CLOCKS_PER_SEC) / 1_000)
  }

  private static func scan(times: Int) -> String {
    for _ in 0..<times {
      let findings = ProcessIntegrity().findings()
      if !findings.isEmpty { return text(of: findings) }
    }
    return "clean"
  }

  private static func text(of findings: [IntegrityFinding]) -> String {
    findings.isEmpty ? "clean" : findings.map(\.description).joined(separator: "; ")
  }

  private static func listen(_ port: UInt16) -> String {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        text(bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)))
      }
    }
  }

  private static func start(_ program: String) -> String {
    var child: pid_t = 0
    let name = strdup(program)
    defer { free(name) }
    let code = posix_spawn(&child, program, nil, nil, [name, nil], environ)
    guard code == 0 else { return String(cString: strerror(code)) }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    return "ok"
  }

  private static func writableCode() -> String {
    let memory = mmap(nil, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    return text(memory == MAP_FAILED ? -1 : 0)
  }

  private static func crash() -> Never { fatalError("asked for") }
}
