import Testing

@testable import tap

@Suite("The option --faults of tap lab")
struct FrameFaultsTests {
  @Test(arguments: [
    "drop=0", "drop=20,corrupt=20", "tear=1000", "delay=1,tear=2,field-off=3,corrupt=4,drop=990",
  ])
  func `shares of all kinds`(text: String) { #expect(FrameFaults(argument: text) != nil) }

  @Test(arguments: [
    "", "drop", "drop=", "drop=-1", "drop=1001", "drop=500,corrupt=501", "drop=1,drop=2", "noise=1", "drop=1,",
    "drop=1=2", "DROP=1", "drop= 1",
  ])
  func `anything else is wrong usage`(text: String) { #expect(FrameFaults(argument: text) == nil) }
}
