#if PCSC
  internal import Octets

  /// A command to a card and the room for its response, used again for every command of a channel, so that a command
  /// allocates nothing.
  ///
  /// @unchecked: one thread at a time uses it. The caller writes the command, hands the request to the device's thread and
  /// reads the response when it has the result. A caller that has stopped waiting does not use it again.
  final class PCSCRequest: @unchecked Sendable {
    private var command: [UInt8] = []
    private var response = [UInt8](repeating: 0, count: 258)

    init() { command.reserveCapacity(261) }

    /// Prepares a command.
    ///
    /// - Parameter room: The longest response in bytes.
    func prepare(_ command: Span<UInt8>, room: Int) {
      self.command.removeAll(keepingCapacity: true)
      for index in command.indices { self.command.append(command[index]) }
      if response.count != room { response = [UInt8](repeating: 0, count: room) }
    }

    /// Sends the command. Returns the number of bytes received.
    func transmit(over transaction: borrowing PCSCTransaction) throws(PCSCError) -> Int {
      // Not a copy: the array is shared until this function returns.
      let command = command
      return try response.withMutableOctets { (room) throws(PCSCError) in
        try transaction.card.transmit(command.span, into: &room)
      }
    }

    /// Copies the first bytes of the response.
    func copyResponse(_ count: Int, into room: inout MutableRawSpan) {
      let response = response
      room.copy(response.span.extracting(first: count), to: 0)
    }
  }
#endif
