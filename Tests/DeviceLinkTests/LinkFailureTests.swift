import DeviceLink
import Testing
@Suite struct LinkFailureTests {
  @Test func `failures with equal facts are equal`() { #expect(LinkFailure.closed == .closed) }
}
