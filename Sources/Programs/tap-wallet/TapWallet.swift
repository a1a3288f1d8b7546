import ArgumentParser

@main
struct TapWallet: ParsableCommand {}
