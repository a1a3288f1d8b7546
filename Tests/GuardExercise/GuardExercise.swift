import DeviceLink
import Glibc
import Octets
import ProcessGuard

/// Holds a secret in locked memory, prints `ready ADDRESS`, and obeys the lines of its standard input.
///
/// Arguments: `--unguarded` leaves out the protection; `--folder DIR` restricts the files to a folder, and the ports to
/// the one after `--port`.
@main
enum GuardExercise {
  static let secret = Secret(copying: Array("4711081547110815".utf8))

  static let integrity = IntegrityGuard(ProcessIntegrity())

  static func main() {
    let arguments = CommandLine.arguments
    if !arguments.contains("--unguarded") { ProcessProtection.begin(children: .restricted) }
    if let folder = value(after: "--folder") {
      var rules = FileRules.base
      rules.write = [folder]
      rules.listen = value(after: "--port").flatMap(UInt16.init).map { [$0] } ?? []
      rules.apply()
      SystemCalls([.administration, .programs, .memoryFiles]).giveUp()
    }
    for gap in ProcessProtection.gaps { write("gap \(gap)") }
    secret.withExposedStorage { write("ready \(UInt(bitPattern: $0))") }
    ProcessProtection.run {
      while let line = readLine() { write(Order.run(line)) }
    }
  }

  /// Writes a line at once: the standard output is no terminal.
  private static func write(_ line: String) {
    print(line)
    fflush(nil)
  }

  private static func value(after name: String) -> String? {
    guard let index = CommandLine.arguments.firstIndex(of: name) else { return nil }
    return CommandLine.arguments.dropFirst(index + 1).first
  }
}
