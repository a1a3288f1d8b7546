#if PCSC
  import Glibc
  import Links
  import TestSupport

  /// A card that sends any bytes, also those that are not a response and that `VPCDLink` refuses to send.
  final class RawCard: Sendable {
    private let descriptor: Int32
    private let thread: DedicatedThread<Void, Never>

    /// Connects to a slot's port and answers every command with the same bytes; nil sends no response.
    init(port: UInt16, answer: [UInt8]?, answerToReset: [UInt8] = [0x3B, 0x80, 0x80, 0x01, 0x01]) throws {
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
      let (descriptor, size) = (descriptor, socklen_t(MemoryLayout<sockaddr_in>.size))
      let code = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
      }
      guard code == 0 else { throw LinkError(.readerUnavailable, "no vpcd at port \(port)") }
      thread = DedicatedThread(named: "raw-card") {
        while let payload = Self.frame(descriptor) {
          switch payload {
          case [4]: Self.send(answerToReset, descriptor)
          case [0], [1], [2]: break
          default: if let answer { Self.send(answer, descriptor) }
          }
        }
      }
    }

    /// Removes the card.
    func takeOut() {
      shutdown(descriptor, Int32(SHUT_RDWR))
      thread.join()
      close(descriptor)
    }

    private static func frame(_ descriptor: Int32) -> [UInt8]? {
      guard let head = octets(2, descriptor) else { return nil }
      return octets(Int(head[0]) << 8 | Int(head[1]), descriptor)
    }

    private static func octets(_ count: Int, _ descriptor: Int32) -> [UInt8]? {
      var octets = [UInt8](repeating: 0, count: count)
      return count == 0 || recv(descriptor, &octets, count, Int32(MSG_WAITALL)) == count ? octets : nil
    }

    private static func send(_ payload: [UInt8], _ descriptor: Int32) {
      let frame = [UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
      _ = Glibc.send(descriptor, frame, frame.count, Int32(MSG_NOSIGNAL))
    }
  }
#endif
