#if !PCSC
  internal import Links

  /// A stand-in that cannot be made: this build has no PC/SC.
  final class ACR122Conversation: Sendable {
    static func begin(with reader: String, patience: Duration) throws(LinkError) -> ACR122Conversation {
      throw LinkError.builtWithoutPCSC
    }

    func post(_ request: ACR122Request) {}

    func end(patience: Duration) {}
  }
#endif
