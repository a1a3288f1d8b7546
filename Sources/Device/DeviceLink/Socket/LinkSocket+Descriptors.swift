internal import Glibc
internal import Octets

/// The layout of one control message with descriptors (cmsg(3)). Its macros are not imported by Swift.
private enum DescriptorMessage {
  static let headerCount = MemoryLayout<cmsghdr>.size
  /// The room for one descriptor. The kernel closes further ones.
  static let room = headerCount + MemoryLayout<Int32>.size
}

extension LinkSocket {
  /// Receives bytes and the descriptor that comes with them; nil at the end of the peer.
  ///
  /// - Parameter terminal: The descriptor of this connection. Only the first one is kept: a client could send one with
  ///   each byte.
  borrowing func receivedOctets(_ terminal: inout PromptTerminal?) -> [UInt8]? {
    var room = [UInt8](repeating: 0, count: LinkFrames.maximumCount)
    var control = [UInt64](repeating: 0, count: (DescriptorMessage.room + 7) / 8)
    var count = 0
    var controlCount = 0
    // The buffers outlive the call, which writes at most their sizes.
    unsafe room.withUnsafeMutableBytes { room in
      unsafe control.withUnsafeMutableBytes { control in
        var part = unsafe iovec(iov_base: room.baseAddress, iov_len: room.count)
        unsafe withUnsafeMutablePointer(to: &part) { part in
          var header = unsafe msghdr()
          unsafe header.msg_iov = part
          unsafe header.msg_iovlen = 1
          unsafe header.msg_control = control.baseAddress
          unsafe header.msg_controllen = DescriptorMessage.room
          count = unsafe recvmsg(descriptor, &header, Int32(MSG_CMSG_CLOEXEC))
          controlCount = unsafe count >= 0 ? Int(header.msg_controllen) : 0
        }
        for number in unsafe Self.descriptors(UnsafeRawBufferPointer(rebasing: control.prefix(controlCount))) {
          let received = PromptTerminal(owning: number)
          if terminal == nil { terminal = received }
        }
      }
    }
    defer { room.wipe() }
    return count > 0 ? Array(room.prefix(count)) : nil
  }

  /// The descriptors in the first control message, which the kernel has written; the kernel merges those of one call
  /// into one message.
  private static func descriptors(_ control: UnsafeRawBufferPointer) -> [Int32] {
    guard control.count >= DescriptorMessage.headerCount else { return [] }
    let header = unsafe control.load(as: cmsghdr.self)
    guard header.cmsg_level == SOL_SOCKET, header.cmsg_type == Int32(SCM_RIGHTS) else { return [] }
    let end = min(Int(header.cmsg_len), control.count)
    return stride(from: DescriptorMessage.headerCount, through: end - MemoryLayout<Int32>.size, by: 4).map {
      unsafe control.load(fromByteOffset: $0, as: Int32.self)
    }
  }

  /// Sends bytes with at most one descriptor. Returns whether all of them were sent.
  borrowing func sentOctets(_ octets: [UInt8], _ terminal: Int32?) -> Bool {
    var octets = octets
    var control = [UInt64](repeating: 0, count: 3)
    let total = octets.count
    // The buffers outlive the call, which reads them.
    return unsafe octets.withUnsafeMutableBytes { octets in
      unsafe control.withUnsafeMutableBytes { control in
        var part = unsafe iovec(iov_base: octets.baseAddress, iov_len: octets.count)
        return unsafe withUnsafeMutablePointer(to: &part) { part in
          var header = unsafe msghdr()
          unsafe header.msg_iov = part
          unsafe header.msg_iovlen = 1
          if let terminal {
            var fields = cmsghdr()
            fields.cmsg_len = DescriptorMessage.headerCount + MemoryLayout<Int32>.size
            fields.cmsg_level = SOL_SOCKET
            fields.cmsg_type = Int32(SCM_RIGHTS)
            unsafe control.storeBytes(of: fields, as: cmsghdr.self)
            unsafe control.storeBytes(of: terminal, toByteOffset: DescriptorMessage.headerCount, as: Int32.self)
            unsafe header.msg_control = control.baseAddress
            unsafe header.msg_controllen = control.count
          }
          return unsafe sendmsg(
            descriptor, &header, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) == total
        }
      }
    }
  }
}
