public import FIDOUAF
public import ServerShell

extension ServerIdentity {
  /// The channel binding of responses that were sent over connections to this server.
  public var channelBinding: ChannelBinding? { certificate.map { ChannelBinding(certificate: $0) } }
}
