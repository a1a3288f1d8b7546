public import ISO7816
public import Links

extension CardChannel where Self: ~Copyable {
  /// Sends a command and assembles the whole response: 61xx is followed by GET RESPONSE, 6Cxx by the corrected command.
  public mutating func assembled(
    _ command: CommandAPDU, transport: ResponseAssembly.Transport = .blocks
  ) throws(LinkError) -> ResponseAPDU {
    var assembly = ResponseAssembly(command: command, transport: transport)
    var next = command
    while true {
      let response = try exchange(next)
      do throws(ResponseAssemblyError) {
        switch try assembly.receive(response) {
        case .transmit(let following): next = following
        case .complete(let whole): return whole
        }
      } catch {
        throw LinkError(.protocolViolation, "\(error)")
      }
    }
  }
}
