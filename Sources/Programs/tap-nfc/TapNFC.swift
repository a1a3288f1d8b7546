import Dispatch
import Glibc
import Links
import NFCReader
import Octets
import ProcessGuard

/// The only process that links libnfc. It serves one program over the socket on its standard input. When the program
/// closes the socket or ends, this process switches the field of its device off and exits.
@main
struct TapNFC {
  static func main() {
    ProcessProtection.begin(children: .restricted)
    restrict()
    // libnfc prints its messages only on request: every response reports its failures.
    unsafe setenv("LIBNFC_LOG_LEVEL", "0", 0)
    let arguments = CommandLine.arguments
    switch arguments.dropFirst() {
    case ["--protection"]: return ProcessProtection.gaps.forEach { print($0) }
    case ["--version"]: return print(ProjectVersion.number)
    case ["--help"], ["-h"]: return print(Usage.help)
    default: break
    }
    if arguments.count == 3, arguments[1] == ExitWatchdog.releaseArgument {
      _ = try? Device(releasing: arguments[2])
      return
    }
    if let word = arguments.dropFirst().first { refuse(Usage.mistake(word)) }
    if isatty(0) != 0 {
      refuse("tap-nfc is started by tap and by programs that use NFCReader; it cannot be used by itself")
    }
    let queue = RequestQueue()
    let openDevice = WaitableState<String?>(nil)
    let termination = closeOnTermination(queue)
    defer { termination.cancel() }
    ExitWatchdog.watch(queue, device: openDevice)
    queue.receive(from: NFCSocket(owning: dup(0)))
    serve(queue, openDevice)
  }

  /// Leaves what libnfc needs: the devices, and the files of the system. The watchdog starts this program again.
  private static func restrict() {
    var rules = FileRules.base
    rules.write = ["/run/lock"]
    rules.devices.append("/dev")
    rules.apply()
    SystemCalls([.administration, .memoryFiles]).giveUp()
  }

  /// Ends the program for wrong usage. Without a standard error the message is lost.
  private static func refuse(_ message: String) -> Never {
    let lines = Array("error: \(message)\nUsage: \(Usage.line)\n  See 'tap-nfc --help' for more information.\n".utf8)
    // The bytes live as long as the call.
    _ = unsafe lines.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(64)
  }

  /// Signals that a terminal sends to all its processes concern the program that started this one; this process ends
  /// after it. SIGTERM closes the queue, so that this process also ends with the field off.
  private static func closeOnTermination(_ queue: RequestQueue) -> any DispatchSourceSignal {
    for signal in [SIGINT, SIGHUP, SIGQUIT, SIGTERM] { Glibc.signal(signal, SIG_IGN) }
    let source = DispatchSource.makeSignalSource(signal: SIGTERM)
    source.setEventHandler { queue.close() }
    source.resume()
    return source
  }

  private static func serve(_ queue: RequestQueue, _ openDevice: WaitableState<String?>) {
    let answers = NFCSocket(owning: dup(0))
    var device = Device()
    while let request = queue.next() {
      let reply: NFCReply
      do throws(NFCFailure) {
        reply = try device.serve(request, queue)
      } catch {
        reply = .failed(error)
      }
      if case (.open(let connstring), .opened) = (request, reply) { openDevice.update { $0 = connstring } }
      guard answers.send(reply.octets) else { break }
    }
  }
}
