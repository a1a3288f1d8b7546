import Glibc
import NFCReader

/// The only process that links libnfc: it serves one engine over the socket on its standard input, and ends with it.
@main
struct TapNFC {
  static func main() {
    if CommandLine.arguments.count > 1 || isatty(0) != 0 {
      print("tap-nfc is started by tap and by programs that use NFCReader; it has no use of its own")
      exit(64)
    }
    // What a terminal tells all its programs is for the engine; this one ends after it, and leaves the device in order.
    signal(SIGINT, SIG_IGN)
    signal(SIGHUP, SIG_IGN)
    // libnfc's own words are for those who ask for them: what failed is told by every answer.
    unsafe setenv("LIBNFC_LOG_LEVEL", "0", 0)
    let desk = RequestDesk()
    desk.listen(on: NFCSocket(owning: dup(0)))
    let answers = NFCSocket(owning: dup(0))
    var device = Device()
    while let request = desk.next() {
      let reply: NFCReply
      do throws(NFCFailure) {
        reply = try device.serve(request, desk)
      } catch {
        reply = .failed(error)
      }
      guard answers.send(reply.octets) else { break }
    }
  }
}
